// What FindingSink asks about the running execution. The engine implements it; unit tests implement it without fibers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "channel/finding_record.hpp"
#include "engine/isolation/mappings.hpp"
#include "engine/threads/program_thread.hpp"

namespace heddle::engine {

class FindingContext {
 public:
  /// The thread that runs; null outside of an execution.
  virtual ProgramThread* current_thread() = 0;
  /// The thread with this slot number, in this execution or an earlier one.
  virtual const ProgramThread& thread_in_slot(std::uint32_t slot) const = 0;
  /// The last thread whose memory lay at this place; null if there was none.
  virtual const ProgramThread* thread_at_place(std::uint32_t place) const = 0;
  /// The threads of this execution, in the order of their creation.
  virtual std::span<ProgramThread* const> threads_of_execution() const = 0;
  /// Writes the return addresses of the thread's stack to `out`, innermost first, and returns their number. Returns 0
  /// if the stack cannot be walked.
  virtual std::size_t walk_stack(ProgramThread& thread, std::span<std::uint64_t> out) = 0;
  /// The memory that the program has mapped at this address; null if it has mapped none.
  virtual const Mapping* mapping_at(std::uintptr_t address) const = 0;
  /// True if the address lies on the stack of the function that called heddle::check.
  virtual bool is_on_callers_stack(std::uintptr_t address) const = 0;
  /// The longest wait of this execution, so far, that ended early.
  virtual channel::EarlyEnd early_end() const { return {}; }
  /// The events of this execution so far.
  virtual std::uint64_t events_executed() const = 0;
  virtual std::uint64_t events_in_graph() const = 0;
  /// False: the graph has been compacted.
  virtual bool has_whole_graph() const = 0;

 protected:
  ~FindingContext() = default;
};

}  // namespace heddle::engine
