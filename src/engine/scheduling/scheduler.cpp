#include "engine/scheduling/scheduler.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "engine/reporting/finding_sink.hpp"

namespace heddle::engine {

using graph::EventKind;
using strategies::Choice;
using strategies::ChoiceKind;
using strategies::Option;
using strategies::Outcome;
using strategies::PendingOperation;

namespace {
// For fewer waiters, updating them one by one is faster.
constexpr std::size_t many_waiters = 16;
}  // namespace

void Scheduler::configure(const ExecutionPolicy& policy, Parking& parking, bool stores_are_immediate) {
  policy_ = policy;
  inspects_every_operation_ = policy.inspects_every_operation;
  time_.configure(policy);
  parking_ = &parking;
  stores_are_immediate_ = stores_are_immediate;
}

void Scheduler::begin_execution() {
  time_.begin_execution();
  enabled_.forget();
  waking_.forget();
  options_.forget();
  parking_->begin_execution();
  // Threads that were interrupted at the end are rare, and an atomic operation takes as long as dozens of others.
  if ((interruptions_.load(std::memory_order_relaxed) & ~outside_signal) != 0)
    interruptions_.fetch_and(outside_signal, std::memory_order_relaxed);
}

// ---- scheduling points --------------------------------------------------------------------------------------

/// The thread that ran next in the execution that is repeated.
ProgramThread& Scheduler::repeat_pick() {
  if (enabled_.empty()) prepare_to_pick();
  if (parking_->has_parked_threads()) parking_->count_step();
  ProgramThread& thread = threads_.at(decider_.repeated_thread());
  if (!thread.enabled) {
    decider_.mark_diverged();
    end_.end(Outcome::cut_off);
  }
  return thread;
}

inline ProgramThread& Scheduler::pick_in_line() {
  if (decider_.is_repeating()) [[unlikely]]
    return repeat_pick();
  if (internal_steps_.any()) [[unlikely]]
    if (ProgramThread* thread = pick_beside_internal_steps()) return *thread;
  if (enabled_.empty() || parking_->must_prepare_choice()) [[unlikely]]
    prepare_to_pick();
  std::uint32_t index = 0;
  if (enabled_.size() > 1) {
    const ProgramThread& current = threads_.current();
    index = choose_option(enabled_, current.enabled ? &current.pending : nullptr);
  }
  return threads_.at(enabled_[index].thread);
}

ProgramThread* Scheduler::pick_beside_internal_steps() {
  if (parking_->has_parked_threads()) parking_->count_step();
  while (internal_steps_.any()) {
    options_.clear();
    const PendingOperation* going_on = nullptr;
    for (const Option& option : enabled_) {
      if (internal_steps_.must_precede(option.thread, *option.pending)) continue;
      options_.push_back(execution_arena_, option);
      if (option.thread == threads_.current().id) going_on = option.pending;
    }
    internal_steps_.list(options_);
    const Option chosen = options_[options_.size() > 1 ? choose_option(options_, going_on) : 0];
    if (!chosen.is_internal_step()) return &threads_.at(chosen.thread);
    internal_steps_.perform(chosen);
  }
  return nullptr;
}

ProgramThread& Scheduler::pick() { return pick_in_line(); }

/// Events get new numbers. Old ones are gone, so no read can be outdated.
void Scheduler::compact() {
  compaction_.run();
  time_.set_mark(0);
}

bool Scheduler::schedule_pending() {
  if (graph_.events().size() >= compaction_.next_pass_at()) [[unlikely]]
    compact();
  ProgramThread& self = threads_.current();
  if (inspects_every_operation_ || (self.loops.spin.is_spinning() && reads(self.pending.kind))) [[unlikely]]
    if (!self.interrupted) parking_->inspect(self);
  ProgramThread& next = pick_in_line();
  bool others_run = &next != &self;
  if (others_run) switch_to(next);
  if (interruptions_.load(std::memory_order_relaxed) != 0) [[unlikely]]
    others_run |= answer_interruption(self);
  if (!decider_.about_to_execute(self.id, self.pending)) [[unlikely]]
    end_.end(Outcome::cut_off);
  return others_run;
}

void Scheduler::prepare_to_pick() {
  if (parking_->has_parked_threads()) parking_->count_step();
  while (enabled_.empty()) resolve_stuck();
  if (parking_->has_pending_steps()) parking_->mark_waiting(enabled_);
}

void Scheduler::yield(std::uint64_t site) {
  schedule_point(EventKind::fence, graph::MemoryOrder::plain, Operation::yield, graph::no_location, site, true);
  time_.tick();
  if (policy_.strict_time) let_time_pass_in_vain(site);
}

void Scheduler::poll(std::uint64_t site) {
  schedule_point(EventKind::load, graph::MemoryOrder::plain, Operation::volatile_read, graph::no_location, site, true);
  time_.tick();
}

void Scheduler::preempt(std::uint64_t site) {
  schedule_point(EventKind::fence, graph::MemoryOrder::plain, Operation::preemption, graph::no_location, site, true);
  time_.tick();
}

std::uint32_t Scheduler::choose_number(ChoiceKind kind, std::uint32_t count) {
  if (count < 2) return 0;
  options_.resize(execution_arena_, count);
  for (std::uint32_t i = 0; i < count; ++i) options_[i] = {.number = i};
  return decider_.decide(Choice{kind, threads_.current().id, options_});
}

// ---- waiting ------------------------------------------------------------------------------------------------

bool Scheduler::await(SyncObject& object, Ready ready, EventKind kind, Operation operation, std::uint64_t site,
                      Deadline deadline) {
  ProgramThread& self = threads_.current();
  const Rule* const waits_with = self.waits_with;
  self.waits_for = &object;
  self.ready = ready;
  self.timed_out = self.gives_up = false;
  self.deadline = deadline;
  const std::uint64_t began = time_.shared();
  const bool was_ready = ready(object, self);
  if (deadline && !was_ready) prepare_to_time_out(self);
  object.waiters.push_back(object.kind == SyncKind::thread ? forever_ : execution_arena_, &self);
  if (!was_ready) update_enabled(self);
  const bool others_ran = schedule_point(kind, graph::MemoryOrder::plain, operation, object.location, site);

  // Only other threads undo readiness. It may come from outside, though: signals, descriptors, time.
  const bool is_ready = (was_ready && !others_ran) || ready(object, self);
  if (!is_ready && self.deadline && !self.interrupted) {
    time_.advance_shared_to(*self.deadline);
    if (*self.deadline > began && !policy_.strict_time)
      record_end_of_wait(
          {EarlyEnd::Kind::timed_wait, *self.deadline - began, VirtualTime::place_of_wait(object.address, site)});
  }
  for (std::size_t i = 0; i < object.waiters.size(); ++i)
    if (object.waiters[i] == &self) {
      object.waiters.erase(i);
      break;
    }
  self.waits_for = nullptr;
  self.deadline = no_deadline;
  self.gives_up = self.timed_out = false;
  if (self.interrupted && (!is_ready || choose_number(ChoiceKind::value, 2) == 0)) [[unlikely]] {
    if (answer_while_waiting(self) == AfterAnswer::stop) return false;
    self.waits_with = waits_with;
    return await(object, ready, kind, operation, site, deadline);
  }
  return is_ready;
}

void Scheduler::reconsider(SyncObject& object) {
  if (object.waiters.size() > many_waiters) return reconsider_many(object);
  for (ProgramThread* waiter : object.waiters) update_enabled(*waiter);
}

/// Hundreds of threads that wait for one lock become enabled and disabled together. One by one, that would take the
/// square of their number.
void Scheduler::reconsider_many(SyncObject& object) {
  waking_.clear();
  bool disables_threads = false;
  for (ProgramThread* waiter : object.waiters) {
    const bool enabled = can_go_on(*waiter);
    if (enabled == waiter->enabled) continue;
    waiter->enabled = enabled;
    if (enabled)
      waking_.push_back(execution_arena_, {.thread = waiter->id, .pending = &waiter->pending});
    else
      disables_threads = true;
  }
  const auto thread_of = [this](const Option& option) { return &threads_.at(option.thread); };
  if (disables_threads) {
    std::size_t kept = 0;
    for (const Option& option : enabled_)
      if (thread_of(option)->enabled) enabled_[kept++] = option;
    enabled_.resize(execution_arena_, kept);
  }
  if (waking_.empty()) return;
  const auto comes_first = [&](const Option& a, const Option& b) { return precedes(thread_of(a), thread_of(b)); };
  std::sort(waking_.begin(), waking_.end(), comes_first);
  // Both lists are sorted: merge them from the end.
  std::size_t old = enabled_.size(), fresh = waking_.size(), at = old + fresh;
  enabled_.resize(execution_arena_, at);
  while (fresh != 0) {
    const bool takes_old = old != 0 && comes_first(waking_[fresh - 1], enabled_[old - 1]);
    enabled_[--at] = takes_old ? enabled_[--old] : waking_[--fresh];
  }
}

bool Scheduler::can_go_on(const ProgramThread& thread) {
  const bool waits_no_more = thread.waits_for == nullptr || thread.gives_up || thread.timed_out || thread.interrupted ||
                             thread.ready(*thread.waits_for, thread);
  return waits_no_more && (!thread.sleeps || thread.timed_out || thread.interrupted) && !thread.parked &&
         !thread.dormant && thread.dropped_out == ProgramThread::DroppedOut::no &&
         thread.state == ProgramThread::State::alive;
}

void Scheduler::enable(ProgramThread& thread) {
  thread.enabled = true;
  std::size_t at = enabled_.size();
  enabled_.add_uninitialised(execution_arena_);
  for (; at != 0 && precedes(&thread, &threads_.at(enabled_[at - 1].thread)); --at) enabled_[at] = enabled_[at - 1];
  enabled_[at] = {.thread = thread.id, .pending = &thread.pending};
}

void Scheduler::disable(ProgramThread& thread) {
  thread.enabled = false;
  std::size_t at = 0;
  while (enabled_[at].thread != thread.id) ++at;
  enabled_.erase(at);
}

// ---- threads that come and go -------------------------------------------------------------------------------

void Scheduler::add_thread(ProgramThread& thread) {
  thread.pending.kind = EventKind::start;
  thread.pending.operation = static_cast<std::uint8_t>(Operation::thread_start);
  if (!thread.enabled) enable(thread);  // a pending signal of the process may have
}

void Scheduler::leave_finished_thread() {
  ProgramThread& next = pick();
  threads_.set_current(&next);
  Fiber::abandon_for(next.fiber);
}

void Scheduler::block_for_good() {
  update_enabled(threads_.current());
  switch_to(pick());
  HEDDLE_CHECK(false, "a thread that is blocked for ever continues");
  __builtin_unreachable();
}

void Scheduler::drop_out(ProgramThread::DroppedOut why) {
  threads_.current().dropped_out = why;
  block_for_good();
}

void Scheduler::assume_not(std::uint64_t site) {
  threads_.current().site = site;
  drop_out(ProgramThread::DroppedOut::by_assumption);
}

void Scheduler::end_with_finding() {
  if (policy_.goes_on_after_finding) drop_out(ProgramThread::DroppedOut::by_finding);
  end_.end(Outcome::completed);
}

/// The signal's handler cannot wait until other threads are done.
void Scheduler::end_with_crash() {
  const ProgramThread& self = threads_.current();
  for (const ProgramThread* thread : threads_.threads())
    if (thread != &self && thread->state == ProgramThread::State::alive && (thread->enabled || thread->deadline))
      findings_.withhold_proof(channel::ProofGap::crash);
  end_.end(Outcome::completed);
}

bool Scheduler::has_ended_with_finding() const {
  for (const ProgramThread* thread : threads_.threads())
    if (thread->dropped_out == ProgramThread::DroppedOut::by_finding) return true;
  return false;
}

Outcome Scheduler::outcome_if_over() const {
  Outcome outcome = Outcome::completed;
  for (const ProgramThread* thread : threads_.threads()) {
    if (thread->dropped_out == ProgramThread::DroppedOut::by_bound) return Outcome::cut_off;
    if (thread->dropped_out == ProgramThread::DroppedOut::by_assumption) outcome = Outcome::blocked;
  }
  return outcome;
}

// ---- when no thread can continue -------------------------------------------------------------------------------

/// First a wait for the outside may be over, then a time-out fires, then parked threads may get another chance. With
/// strict time they get one before a time-out too. If none of these helps, the execution ends: completed, or with a
/// finding.
void Scheduler::resolve_stuck() {
  const ProgramThread* next = next_to_time_out();
  const bool time_can_pass = next != nullptr;
  const Deadline left =
      time_can_pass ? Deadline(*next->deadline - std::min(*next->deadline, time_.shared())) : no_deadline;
  if (outside_.resolve_stuck(left)) return;
  if (time_can_pass && policy_.strict_time && parking_->release_before_time_passes()) return;
  if (fire_earliest_deadline()) return;
  if (parking_->resolve_stuck()) return;
  if (threads_.alive() == 0) end_.end(Outcome::completed);
  if (const Outcome outcome = outcome_if_over(); outcome != Outcome::completed) end_.end(outcome);
  if (has_ended_with_finding()) end_.end(Outcome::completed);
  findings_.report_stuck(parking_->has_parked_threads());
  end_.end(Outcome::blocked);
}

}  // namespace heddle::engine
