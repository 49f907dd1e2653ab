// Takes threads that only wait out of the scheduler's way. A thread that polls memory in a loop is parked: the
// scheduler does not offer it until there is a reason to. What counts as a loop that waits, and as a reason to
// continue, differs:
//
// - SpinParking, for sampling, guesses from the values that a thread reads (spin.hpp). So a parked thread runs again
//   when a value changes, and in any case after a bounded number of steps of the other threads.
// - SearchParking, for a search, compares the thread's whole local state (waiting_loop.hpp). So it is certain, and the
//   thread stays parked: that one of its reads takes another value is another execution.
#pragma once

#include <cstdint>
#include <span>

#include "engine/threads/program_thread.hpp"
#include "graph/event.hpp"
#include "strategies/strategy.hpp"

namespace heddle::engine {

class Parking {
 public:
  virtual void begin_execution() { parked_ = pending_steps_ = fruitless_rounds_ = 0; }
  /// The thread is about to perform its pending operation. Called for every operation if the policy says so
  /// (ExecutionPolicy::inspects_every_operation), otherwise only for reads of a thread whose loop was recognised.
  virtual void inspect(ProgramThread& self) = 0;
  /// Called before a choice between threads, if any thread is about to perform a step on a synchronisation object.
  virtual void mark_waiting(std::span<const strategies::Option> enabled) { (void)enabled; }
  /// Called at every scheduling point if threads are parked, before the choice between threads. May release some.
  virtual void count_step() {}
  /// A location that parked threads may read has a new value. Called only if threads are parked.
  virtual void wrote(graph::LocationId location) { (void)location; }
  /// The thread, which is parked, has something else to do first.
  virtual void unpark(ProgramThread& thread) { (void)thread; }
  /// No thread is enabled, but time can pass for one that sleeps. True: a parked thread is enabled now, since it may
  /// merely seem to wait.
  virtual bool release_before_time_passes() { return false; }
  /// No thread is enabled. True: some thread is now. May end the execution.
  virtual bool resolve_stuck() = 0;

  /// The running thread did something that others can see, or that changes what it will do next.
  void mark_progress() { fruitless_rounds_ = 0; }
  bool has_parked_threads() const { return parked_ != 0; }
  bool has_pending_steps() const { return pending_steps_ != 0; }
  /// count_step() or mark_waiting() has to be called before a choice.
  bool must_prepare_choice() const { return (parked_ | pending_steps_) != 0; }
  /// Around the scheduling point of a step on a synchronisation object (GraphExecutor).
  void begin_step() { ++pending_steps_; }
  void end_step() { --pending_steps_; }

 protected:
  ~Parking() = default;

  std::uint32_t parked_ = 0;
  std::uint32_t pending_steps_ = 0;
  std::uint32_t fruitless_rounds_ =
      0;  ///< in a row, in which only parked threads were left and none of them made progress
};

}  // namespace heddle::engine
