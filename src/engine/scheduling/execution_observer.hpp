// Is told, by the parts of the engine, what the threads of the program do between their events and at them: plain
// accesses, new locations, the operations that threads come to, and events. A search that writes executions down is the
// one observer (transcripts/transcriber.hpp).
#pragma once

#include <cstdint>

#include "engine/scheduling/decider.hpp"
#include "engine/threads/program_thread.hpp"
#include "graph/event.hpp"
#include "memory/memory.hpp"
#include "races/cell.hpp"
#include "transcript/transcript.hpp"

namespace heddle::engine {

class ExecutionObserver {
 public:
  explicit ExecutionObserver(const Decider& decider) : decider_(decider) {}

  /// Whether the functions below are to be called.
  bool is_on() const { return is_on_ && !decider_.is_repeating(); }
  /// The rest of the execution is not observed.
  void pause() { is_on_ = false; }
  /// No further execution of this program is observed.
  void give_up() { is_useful_ = is_on_ = false; }
  /// The program has repeated the steps that the execution has in common with the one before it.
  virtual void end_repeating() = 0;

  // ---- the current thread, between two operations ---------------------------------------------------------------
  /// It is about to access memory, or the runtime has written to memory for it.
  virtual void record_access(transcript::PlainAccess::Kind kind, std::uintptr_t address, std::size_t size,
                             std::uint64_t site, std::uint32_t stack) = 0;
  /// An atomic access has made the location; `imported` is the plain store that it found in memory, or null.
  virtual void record_location(std::uintptr_t address, std::uint8_t size, graph::LocationId location,
                               const races::AccessRecord* imported) = 0;
  /// It does something that an observer cannot follow.
  void mark_opaque() { is_opaque_ = true; }

  // ---- its next operation ---------------------------------------------------------------------------------------
  // The operands are to be noted before the scheduling point.
  void set_operand(graph::Value operand) { operands_ = {.operand = operand}; }
  void set_exchange(graph::Value expected, graph::Value desired, graph::MemoryOrder failure_order) {
    operands_ = {.failure_order = failure_order, .operand = desired, .expected = expected};
  }
  void set_joined(graph::ThreadId joined) { operands_ = {.joined = joined}; }
  void set_result(std::uint64_t result) { operands_ = {.result = result}; }
  /// It is about to perform its pending operation, or is parked there.
  virtual void arrive(const ProgramThread& self) = 0;
  /// It performs a compare-exchange.
  virtual void record_spurious_failure(memory::SpuriousFailure spurious_failure) = 0;
  /// It has created a thread, and is about to record the event.
  virtual void record_child(const ProgramThread& child, bool is_detached) = 0;
  /// It has performed the operation.
  virtual void performed(graph::EventId event) = 0;

 protected:
  ~ExecutionObserver() = default;

  const Decider& decider_;
  bool is_useful_ = false;
  bool is_on_ = false;
  bool is_opaque_ = false;
  transcript::Action operands_;
};

}  // namespace heddle::engine
