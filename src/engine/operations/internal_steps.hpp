// Steps of the memory model that run no thread: a buffered store reaches memory. The scheduler offers them to the
// strategy beside the enabled threads.
#pragma once

#include <cstdint>

#include "base/arena.hpp"
#include "graph/event.hpp"
#include "strategies/strategy.hpp"

namespace heddle::engine {

class InternalSteps {
 public:
  /// Whether stores are buffered. Models without store buffers never have any.
  bool any() const { return buffered_ != 0; }
  /// Appends an option for each step that is possible now, sorted by the names of threads (precedes()).
  virtual void list(base::ArenaVector<strategies::Option>& options) = 0;
  virtual void perform(const strategies::Option& step) = 0;
  /// Whether the thread has to wait for internal steps before it can perform its operation.
  virtual bool must_precede(graph::ThreadId thread, const strategies::PendingOperation& operation) = 0;
  /// Performs the steps that the model asks for before an event of the current thread, if any are left.
  virtual void settle_before(const graph::Event& event) = 0;

 protected:
  ~InternalSteps() = default;

  std::uint32_t buffered_ = 0;  ///< stores in buffers
};

}  // namespace heddle::engine
