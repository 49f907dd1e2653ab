// The order that the creation and the joining of threads make. It is the same in every execution; the order that locks
// and atomics make is not.
#pragma once

#include <vector>

#include "story/execution_log.hpp"

namespace heddle::story {

class ThreadOrder {
 public:
  explicit ThreadOrder(const ExecutionLog& log);

  /// Whether `a` comes before `b` because of program order, thread creation and joins alone.
  bool is_before(EventNumber a, EventNumber b) const;

 private:
  using Bounds = std::vector<EventNumber>;  ///< by thread: its events before this position come before

  const ExecutionLog& log_;
  std::vector<Bounds> bounds_;
  std::vector<std::size_t> of_event_;  ///< in bounds_
};

}  // namespace heddle::story
