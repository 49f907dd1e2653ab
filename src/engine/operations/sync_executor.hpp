// Performs the steps of synchronisation primitives (sync_rules.hpp). The primitives themselves are written once, in
// SyncObjects, in terms of this interface.
//
// A call of the program, say pthread_cond_wait, is a sequence of steps. DirectExecutor performs the steps of one call
// without interruption, from begin_call() until the call waits; its scheduling points are begin_call() and the waits.
// For GraphExecutor each step is an event in the graph with a scheduling point of its own, and begin_call() is nothing.
#pragma once

#include <cstdint>

#include "engine/operations/deadline.hpp"
#include "engine/operations/sync_object.hpp"

namespace heddle::engine {

struct StepResult {
  bool succeeded;        ///< false: the step would have had to wait, and gave up
  graph::Value before;   ///< the state that the step found
  graph::EventId event;  ///< that the step recorded; no_event if it recorded none
};

class SyncExecutor {
 public:
  /// A call begins, whose first step is `step`.
  virtual void begin_call(SyncObject& object, const Step& step, std::uint64_t site) = 0;
  /// Performs the step at once. If it would have to wait, it gives up; then the rule must say that it may.
  virtual StepResult perform(SyncObject& object, const Rule& rule, std::uint64_t site) = 0;
  /// Waits until the step can continue, and performs it. Gives up when the deadline has passed.
  virtual StepResult wait_and_perform(SyncObject& object, const Rule& rule, std::uint64_t site, Deadline deadline) = 0;

  /// Whether the current thread, which is about to sleep, wakes for no reason. GraphExecutor decides that in sleep().
  virtual bool draws_spurious_wake_up(const SyncObject& object, std::uint64_t site) = 0;
  /// Waits until the current thread is no longer among the sleepers of the object. False: the deadline came first.
  virtual bool sleep(SyncObject& object, const Step& wake_up, bool may_wake_spuriously, std::uint64_t site,
                     Deadline deadline) = 0;
  /// Wakes up to `count` sleepers, by steps of these kinds. Returns how many.
  virtual std::uint32_t wake(SyncObject& object, std::uint32_t count, const Step& one, const Step& all,
                             std::uint64_t site) = 0;

  /// Notes an arrival at a barrier, for the threads of the round to learn when they leave.
  virtual void add_arrival(BarrierRound& round, graph::EventId arrival, std::uint64_t site) = 0;
  /// Whether the current thread, which leaves and was or was not the last to arrive, is the serial one of its round.
  virtual bool is_serial(BarrierRound& round, bool arrived_last) = 0;
  /// The current thread has left the round, by this event.
  virtual void add_leave(SyncObject& barrier, BarrierRound& round, graph::EventId leave) = 0;

  /// The full memory barrier that the kernel passes in a futex call.
  virtual void kernel_barrier(std::uint64_t site) = 0;
  /// The kernel's look at the futex.
  virtual std::uint32_t read_futex(const SyncObject& futex, std::uint64_t site) = 0;

 protected:
  ~SyncExecutor() = default;
};

}  // namespace heddle::engine
