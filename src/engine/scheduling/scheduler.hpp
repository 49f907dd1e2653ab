// Decides which thread of the program runs, and lets virtual time pass (virtual_time.hpp).
//
// A thread calls schedule_point() before every visible operation: the operation becomes pending, the strategy chooses
// among the enabled threads, and the call returns when the strategy has chosen the caller. await() is a scheduling
// point that the caller passes only when a condition holds. Between two scheduling points a thread runs alone.
//
// Enabled threads are kept sorted by name (precedes()), ready to be offered to the strategy.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/arena.hpp"
#include "engine/operations/deadline.hpp"
#include "engine/operations/execution_policy.hpp"
#include "engine/operations/internal_steps.hpp"
#include "engine/operations/interrupts.hpp"
#include "engine/operations/operation.hpp"
#include "engine/operations/outside_waits.hpp"
#include "engine/operations/sync_object.hpp"
#include "engine/scheduling/compaction.hpp"
#include "engine/scheduling/decider.hpp"
#include "engine/scheduling/execution_parts.hpp"
#include "engine/scheduling/parking.hpp"
#include "engine/scheduling/virtual_time.hpp"
#include "engine/threads/execution_end.hpp"
#include "engine/threads/program_thread.hpp"
#include "engine/threads/stack_walker.hpp"
#include "engine/threads/thread_table.hpp"
#include "graph/execution_graph.hpp"

namespace heddle::engine {

class FindingSink;

/// Many methods: the ways in which a thread gives up its turn. Many fields: references to other parts.
class Scheduler {
 public:
  Scheduler(base::Arena& forever, const ExecutionParts& execution, const ProgramParts& program, Compaction& compaction,
            InternalSteps& internal_steps, OutsideWaits& outside)
      : forever_(forever), execution_arena_(execution.arena), graph_(execution.graph), threads_(execution.threads),
        decider_(execution.decider), stack_walker_(program.stack_walker), compaction_(compaction),
        internal_steps_(internal_steps), outside_(outside), findings_(execution.findings), end_(execution.end),
        time_(execution.threads) {}

  /// `stores_are_immediate` as models::MemoryModel says it.
  void configure(const ExecutionPolicy& policy, Parking& parking, bool stores_are_immediate);
  void set_interrupts(Interrupts& interrupts) { interrupts_ = &interrupts; }
  void begin_execution();

  /// The current thread is about to perform this operation. Returns true if other threads have run meanwhile.
  bool schedule_point(graph::EventKind kind, graph::MemoryOrder order, Operation operation, graph::LocationId location,
                      std::uint64_t site, bool yields = false) {
    // The operation is written to where it stays. Passed as an argument it would be assembled from pieces, and the
    // processor would have to wait for them.
    strategies::PendingOperation& pending = threads_.current().pending;
    pending.kind = kind;
    pending.order = order;
    pending.operation = static_cast<std::uint8_t>(operation);
    pending.yields = yields;
    pending.yields_in_a_row = yields ? pending.yields_in_a_row + 1 : 0;
    pending.location = location;
    pending.waits = false;
    threads_.current().site = site;
    return schedule_pending();
  }
  /// A scheduling point that the current thread passes when `ready` holds, or when its deadline has passed. Returns
  /// whether `ready` holds.
  bool await(SyncObject& object, Ready ready, graph::EventKind kind, Operation operation, std::uint64_t site,
             Deadline deadline = no_deadline);
  /// The object's state has changed: asks every waiter's `ready` again.
  void reconsider(SyncObject& object);
  void yield(std::uint64_t site);
  /// The current thread reads volatile memory, again and again: it may wait for another thread.
  void poll(std::uint64_t site);
  /// The current thread has run for long without a visible operation: it may wait for another thread.
  void preempt(std::uint64_t site);
  /// Returns how much of the time was left when a signal or a cancellation ended the sleep (ProgramThread::wait_end).
  std::uint64_t sleep(std::uint64_t nanoseconds, std::uint64_t site);
  /// The current thread reads a clock: time().now(), after time has passed. `place` is the place in the program.
  std::uint64_t read_clock(std::uint64_t place, std::uint64_t site);
  /// Lets the strategy choose a number below `options`.
  std::uint32_t choose_number(strategies::ChoiceKind kind, std::uint32_t options);

  /// The current thread had an effect that others can see: loops that were recognised so far do not count.
  void mark_progress() {
    threads_.current().loops.record_effect();
    parking_->mark_progress();
  }
  /// The current thread has locked or unlocked a mutex, or has stored what it stored there before.
  void mark_lock(const SyncObject& mutex) {
    threads_.current().loops.record_lock(&mutex);
    parking_->mark_progress();
  }
  void mark_unlock(const SyncObject& mutex) {
    threads_.current().loops.record_unlock(&mutex);
    parking_->mark_progress();
  }
  void mark_repeated_effect() {
    threads_.current().loops.record_repeated_effect();
    parking_->mark_progress();
  }
  /// The current thread writes to plain memory.
  void mark_plain_write(std::uintptr_t address, std::size_t size) {
    ProgramThread& self = threads_.current();
    const bool is_on_own_stack = self.fiber.stack().contains(address);
    self.loops.record_plain_write(address, size, is_on_own_stack);
    if (!is_on_own_stack) parking_->mark_progress();
  }
  /// From now on, the parking sees every operation before it runs, whatever the policy says. False: as the policy says.
  void inspect_every_operation(bool inspect) {
    inspects_every_operation_ = inspect || policy_.inspects_every_operation;
  }
  /// A write to the location may concern parked threads.
  void unpark_readers(graph::LocationId location) {
    if (parking_->has_parked_threads()) parking_->wrote(location);
  }

  VirtualTime& time() { return time_; }
  const VirtualTime& time() const { return time_; }
  /// A search has ended a timed wait of the current thread, of so many nanoseconds.
  void record_search_time_out(std::uint64_t nanoseconds, const SyncObject& object, std::uint64_t site) {
    const std::uint64_t place = VirtualTime::place_of_wait(object.address, site);
    if (enabled_.size() > 1) time_.record_early_end({EarlyEnd::Kind::timed_wait, nanoseconds, place});
  }

  /// A new thread can run.
  void add_thread(ProgramThread& thread);
  /// Whether the thread can continue may have changed.
  void update_enabled(ProgramThread& thread) {
    if (can_go_on(thread) != thread.enabled) thread.enabled ? disable(thread) : enable(thread);
  }
  /// The thread has ended: it is not offered any more.
  void remove_thread(ProgramThread& thread) {
    if (thread.enabled) disable(thread);
  }
  /// The current thread has ended. Continues with another one.
  [[noreturn]] void leave_finished_thread();
  /// The current thread does not continue in this execution; other threads do.
  [[noreturn]] void drop_out(ProgramThread::DroppedOut why);
  /// The current thread is blocked for the rest of the execution.
  [[noreturn]] void block_for_good();
  /// A finding ends the program here.
  [[noreturn]] void end_with_finding();
  /// A crash, which was reported, ends the program at once.
  [[noreturn]] void end_with_crash();
  /// The program says that executions in which it comes here do not count.
  [[noreturn]] void assume_not(std::uint64_t site);
  /// The thread has, or no longer has, a signal or a cancellation to answer.
  void set_interrupted(ProgramThread& thread, bool interrupted);
  /// Decides anew whether the current thread is interrupted.
  void update_interruption() { interrupts_->update(threads_.current()); }
  /// A signal of another process has arrived. Called by a signal handler of the kernel.
  bool has_started_child() const { return outside_.has_started_child(); }
  void raise_outside_signal() { interruptions_.fetch_or(outside_signal, std::memory_order_relaxed); }
  /// The strategy has chosen the current thread, which performs this operation instead of the pending one.
  void announce(graph::EventKind kind, Operation operation);
  /// The outcome of an execution in which no thread continues, or which the program ends.
  strategies::Outcome outcome_if_over() const;
  /// Whether a finding ended the program, and what other threads did since came before that.
  bool has_ended_with_finding() const;

 private:
  bool schedule_pending();
  [[gnu::cold, gnu::noinline]] void compact();
  ProgramThread& pick();
  [[gnu::always_inline]] inline ProgramThread& pick_in_line();
  [[gnu::noinline]] ProgramThread& repeat_pick();
  [[gnu::cold, gnu::noinline]] void prepare_to_pick();
  /// Lets the strategy choose between enabled threads and internal steps. Performs the steps that it chooses, and
  /// returns the thread. Null: no step is left, and no thread was chosen.
  [[gnu::noinline]] ProgramThread* pick_beside_internal_steps();
  /// Lets the strategy choose. `going_on` is what the current thread would do, if it is one of the options.
  std::uint32_t choose_option(const base::ArenaVector<strategies::Option>& options,
                              const strategies::PendingOperation* going_on) {
    using strategies::ChoiceKind;
    return decider_.draws_uniformly() && is_uniform_thread_choice(going_on)
               ? decider_.draw_uniformly(ChoiceKind::thread, options.size())
               : decider_.decide({ChoiceKind::thread, threads_.current().id, options, stores_are_immediate_, going_on});
  }
  /// Returns when another thread switches back.
  [[gnu::always_inline]] void switch_to(ProgramThread& thread) {
    ProgramThread& self = threads_.current();
    threads_.set_current(&thread);
    Fiber::switch_between(self.fiber, thread.fiber);
    stack_walker_.answer_requests(self);
  }
  static bool can_go_on(const ProgramThread& thread);
  [[gnu::noinline]] void enable(ProgramThread& thread);
  [[gnu::noinline]] void disable(ProgramThread& thread);
  void reconsider_many(SyncObject& object);
  [[gnu::cold, gnu::noinline]] void resolve_stuck();
  [[gnu::noinline]] void prepare_to_time_out(ProgramThread& self);
  [[gnu::cold, gnu::noinline]] void let_time_pass_in_vain(std::uint64_t site);
  std::uint64_t events_of_others(const ProgramThread& thread) const;
  ProgramThread* next_to_time_out() const;
  [[gnu::cold, gnu::noinline]] bool fire_earliest_deadline();
  std::uint64_t sleep_until(std::uint64_t time, std::uint64_t site);
  [[gnu::cold, gnu::noinline]] bool answer_interruption(ProgramThread& self);
  enum class AfterAnswer : std::uint8_t { go_on, stop };
  [[gnu::cold, gnu::noinline]] AfterAnswer answer_while_waiting(ProgramThread& self);
  /// A sleep or a timed wait ends for no other reason than that its time has come.
  void record_end_of_wait(const EarlyEnd& wait);

  base::Arena& forever_;
  base::Arena& execution_arena_;
  graph::ExecutionGraph& graph_;
  ThreadTable& threads_;
  Decider& decider_;
  StackWalker& stack_walker_;
  Compaction& compaction_;
  InternalSteps& internal_steps_;
  OutsideWaits& outside_;
  FindingSink& findings_;
  ExecutionEnd& end_;
  Parking* parking_ = nullptr;
  ExecutionPolicy policy_;
  bool inspects_every_operation_ = false;
  bool stores_are_immediate_ = false;
  Interrupts* interrupts_ = nullptr;
  static constexpr std::uint32_t outside_signal = std::uint32_t{1} << 31;
  std::atomic<std::uint32_t> interruptions_{0};  ///< interrupted threads, and outside_signal
  VirtualTime time_;
  base::ArenaVector<strategies::Option> enabled_;
  base::ArenaVector<strategies::Option> waking_;   // scratch of reconsider_many
  base::ArenaVector<strategies::Option> options_;  // scratch of choose_number and pick_beside_internal_steps
};

}  // namespace heddle::engine
