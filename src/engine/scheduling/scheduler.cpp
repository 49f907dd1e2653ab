// Longer than most files: all ways in which a thread starts to wait, and ceases to, change one list of enabled threads.
#include "engine/scheduling/scheduler.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/hash.hpp"
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
  was_clock_read_ = false;
  inspects_every_operation_ = policy.inspects_every_operation;
  tick_ = policy.strict_time ? 0 : ClockReads::tick;
  parking_ = &parking;
  stores_are_immediate_ = stores_are_immediate;
}

void Scheduler::begin_execution() {
  now_ = 0;
  early_end_ = {};
  last_wait_ = {};
  time_mark_ = 0;
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
  time_mark_ = 0;
}

bool Scheduler::schedule_pending() {
  if (graph_.events().size() >= compaction_.next_pass_at()) [[unlikely]]
    compact();
  ProgramThread& self = threads_.current();
  if (inspects_every_operation_ || (self.spin.is_spinning() && reads(self.pending.kind))) [[unlikely]]
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
  tick();
  if (policy_.strict_time) let_time_pass_in_vain(site);
}

/// Strict time: a thread that tries again and again what another thread does not allow, such as to lock a mutex, waits
/// for that thread, which may sleep.
void Scheduler::let_time_pass_in_vain(std::uint64_t site) {
  ProgramThread& self = threads_.current();
  if (!self.spin.had_no_effect(SpinDetector::Purpose::vain_try)) return self.vain_tries.reset();
  const std::uint64_t passes = self.vain_tries.next(events_of_others(self), false);
  if (passes != ClockReads::tick) sleep_until(now_ + passes, site);
}

std::uint64_t Scheduler::events_of_others(const ProgramThread& thread) const {
  return graph_.events_so_far() - graph_.thread(thread.id).index / 2;  // events have the even indices
}

void Scheduler::poll(std::uint64_t site) {
  schedule_point(EventKind::load, graph::MemoryOrder::plain, Operation::volatile_read, graph::no_location, site, true);
  tick();
}

void Scheduler::preempt(std::uint64_t site) {
  schedule_point(EventKind::fence, graph::MemoryOrder::plain, Operation::preemption, graph::no_location, site, true);
  tick();
}

std::uint64_t Scheduler::sleep(std::uint64_t nanoseconds, std::uint64_t site) {
  const std::uint64_t until = now() + nanoseconds;
  if ((policy_.strict_time || outside_.awaits_child()) && nanoseconds != 0) return sleep_until(until, site);
  ProgramThread& self = threads_.current();
  self.wait_end = WaitEnd::ordinary;
  schedule_point(EventKind::fence, graph::MemoryOrder::plain, Operation::sleep, graph::no_location, site, true);
  if (self.wait_end != WaitEnd::ordinary) [[unlikely]]
    return until > now() ? until - now() : 0;
  if (now() < until) clock() = until;
  if (nanoseconds != 0) record_end_of_wait({EarlyEnd::Kind::sleep, nanoseconds, place_of_wait(0, site)});
  return 0;
}

/// The thread cannot run before resolve_stuck() lets time pass.
std::uint64_t Scheduler::sleep_until(std::uint64_t time, std::uint64_t site) {
  ProgramThread& self = threads_.current();
  self.wait_end = WaitEnd::ordinary;
  bool is_over = false;
  while (!is_over && self.wait_end == WaitEnd::ordinary) {
    self.sleeps = true;
    self.timed_out = false;
    self.deadline = time;
    update_enabled(self);
    schedule_point(EventKind::fence, graph::MemoryOrder::plain, Operation::sleep, graph::no_location, site, true);
    is_over = self.timed_out;
    self.sleeps = self.timed_out = false;
    self.deadline = no_deadline;
    if (self.interrupted) answer_while_waiting(self);
  }
  return is_over || time <= now() ? 0 : time - now();
}

/// A thread that polls a clock sleeps, so other threads run in the meantime. It waits for time, so its loop is not
/// closed.
std::uint64_t Scheduler::read_clock(std::uint64_t place, std::uint64_t site) {
  was_clock_read_ = true;
  ProgramThread& self = threads_.current();
  self.closed_loop.reset();
  self.waiting_loop.forget_places();
  self.retry_window.forget();
  // A search does not repeat thousands of iterations: time passes faster in any case.
  const bool had_no_effect = self.spin.had_no_effect(SpinDetector::Purpose::clock);
  const bool made_progress = !had_no_effect && !policy_.clock_per_thread;
  const std::uint64_t passes = self.clock_reads.next(place, made_progress);
  if (passes == ClockReads::tick)
    clock() += passes;
  else
    sleep(passes, site);
  return now();
}

void Scheduler::record_end_of_wait(const EarlyEnd& wait) {
  if (enabled_.size() > 1 || internal_steps_.any()) return record_early_end(wait);
  time_mark_ = graph_.events_so_far();
  last_wait_ = wait;
}

void Scheduler::record_early_end(const EarlyEnd& wait) {
  // Of several waits, the longest counts. Which of equal ones a finding needs is not known.
  if (wait.nanoseconds == early_end_.nanoseconds && wait.kind == early_end_.kind && wait.place != early_end_.place)
    early_end_.place = 0;
  if (wait.nanoseconds > early_end_.nanoseconds) early_end_ = wait;
}

std::uint64_t Scheduler::place_of_wait(std::uintptr_t object, std::uint64_t site) {
  return base::hash_words(object, site, 1) | 1;
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
  const std::uint64_t began = now_;
  const bool was_ready = ready(object, self);
  if (deadline && !was_ready) prepare_to_time_out(self);
  object.waiters.push_back(object.kind == SyncKind::thread ? forever_ : execution_arena_, &self);
  if (!was_ready) update_enabled(self);
  const bool others_ran = schedule_point(kind, graph::MemoryOrder::plain, operation, object.location, site);

  // Only other threads undo readiness. It may come from outside, though: signals, descriptors, time.
  const bool is_ready = (was_ready && !others_ran) || ready(object, self);
  if (!is_ready && self.deadline && !self.interrupted) {
    if (*self.deadline > now_) now_ = *self.deadline;
    if (*self.deadline > began && !policy_.strict_time)
      record_end_of_wait({EarlyEnd::Kind::timed_wait, *self.deadline - began, place_of_wait(object.address, site)});
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

/// The thread is about to wait until its deadline at most. With strict time, a wait whose deadline is over takes time
/// as a read of a clock does: a loop around it waits for another thread, which may sleep.
void Scheduler::prepare_to_time_out(ProgramThread& self) {
  if (policy_.strict_time) {
    if (*self.deadline > now_) return;
    self.deadline = now_ + self.expired_waits.next(events_of_others(self), false);
    return;
  }
  if (!self.is_watchdog && !outside_.awaits_child()) self.gives_up = choose_number(ChoiceKind::timeout, 2) == 1;
}

// ---- signals and cancellation -------------------------------------------------------------------------------

void Scheduler::set_interrupted(ProgramThread& thread, bool interrupted) {
  if (thread.interrupted == interrupted) return;
  thread.interrupted = interrupted;
  interruptions_.fetch_add(interrupted ? 1U : ~0U, std::memory_order_relaxed);
  if (interrupted && thread.parked) parking_->unpark(thread);
  update_enabled(thread);
}

void Scheduler::announce(EventKind kind, Operation operation) {
  ProgramThread& self = threads_.current();
  self.pending = {.kind = kind, .operation = static_cast<std::uint8_t>(operation)};
  if (!decider_.about_to_execute(self.id, self.pending)) [[unlikely]]
    end_.end(Outcome::cut_off);
}

/// The current thread was chosen to perform its pending operation. If it has something to answer, the strategy decides
/// whether it does so now or after the operation; after an answer, it decides again which thread runs.
bool Scheduler::answer_interruption(ProgramThread& self) {
  if ((interruptions_.fetch_and(~outside_signal, std::memory_order_relaxed) & outside_signal) != 0)
    interrupts_->collect_outside();
  // A thread that waits answers when it has left the waiters: see await() and sleep_until().
  if (!self.interrupted || self.waits_for != nullptr || self.sleeps) return false;
  // In a call that is a cancellation point, the wait is where the thread ends.
  const bool was_at_point = self.cancellation.at_point;
  self.cancellation.at_point = was_at_point && static_cast<Operation>(self.pending.operation) == Operation::sleep;
  interrupts_->update(self);
  bool has_answered = false;
  while (self.interrupted && choose_number(ChoiceKind::value, 2) == 0) {
    const PendingOperation pending = self.pending;
    const std::uint64_t site = self.site;
    has_answered = true;
    const bool stops = answer_while_waiting(self) == AfterAnswer::stop;
    self.pending = pending;
    self.site = site;
    if (stops) break;
    ProgramThread& next = pick();
    if (&next != &self) switch_to(next);
  }
  self.cancellation.at_point = was_at_point;
  interrupts_->update(self);
  return has_answered;
}

Scheduler::AfterAnswer Scheduler::answer_while_waiting(ProgramThread& self) {
  const PendingOperation pending = self.pending;
  const Interruptible interruptible =
      static_cast<Operation>(pending.operation) == Operation::sleep ? Interruptible::always : self.interruptible;
  self.interruptible = Interruptible::never;
  // Calls that wait for signals: the program blocks the signals elsewhere.
  const bool waits_for_signals = static_cast<Operation>(pending.operation) == Operation::signal_wait ||
                                 interruptible == Interruptible::only_inside;
  const Interrupts::Answer answer =
      interrupts_->answer(self, waits_for_signals ? Delivery::synchronous : Delivery::asynchronous);
  self.interruptible = interruptible;
  if (answer.cancelled) {
    self.wait_end = WaitEnd::by_cancellation;
    return AfterAnswer::stop;
  }
  const bool ends_call = answer.ran_handler && (interruptible >= Interruptible::always ||
                                                (interruptible == Interruptible::unless_restarted && !answer.restarts));
  if (!ends_call) return AfterAnswer::go_on;
  // The handler may as well have run just before the call, which goes on to wait then: no thread can tell the
  // difference. Calls that wait for signals have a scheduling point of their own before them.
  if (!waits_for_signals && choose_number(ChoiceKind::value, 2) == 1) return AfterAnswer::go_on;
  self.wait_end = WaitEnd::by_signal;
  return AfterAnswer::stop;
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

// ---- when no thread can go on -------------------------------------------------------------------------------

/// First a wait for the outside may be over, then a time-out fires, then parked threads may get another chance. With
/// strict time they get one before a time-out too. If none of these helps, the execution ends: completed, or with a
/// finding.
void Scheduler::resolve_stuck() {
  const ProgramThread* next = next_to_time_out();
  const bool time_can_pass = next != nullptr;
  const Deadline left = time_can_pass ? Deadline(*next->deadline - std::min(*next->deadline, now_)) : no_deadline;
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

/// A watchdog, such as alarm(60), ends a program that hangs. If it is all that is left, the program hangs for another
/// reason, which is then reported. With strict time, a watchdog may end a program that merely takes too long.
ProgramThread* Scheduler::next_to_time_out() const {
  ProgramThread *earliest = nullptr, *watchdog = nullptr;
  for (ProgramThread* thread : threads_.threads()) {
    const bool waits = thread->state == ProgramThread::State::alive && thread->deadline &&
                       (thread->waits_for != nullptr || thread->sleeps);
    ProgramThread*& first = thread->is_watchdog ? watchdog : earliest;
    if (waits && (first == nullptr || *thread->deadline < *first->deadline)) first = thread;
  }
  const bool bites = policy_.strict_time && earliest != nullptr && watchdog != nullptr;
  return bites && *watchdog->deadline < *earliest->deadline ? watchdog : earliest;
}

bool Scheduler::fire_earliest_deadline() {
  ProgramThread* earliest = next_to_time_out();
  if (earliest == nullptr) return false;
  earliest->timed_out = true;
  if (policy_.strict_time || earliest->sleeps) now_ = std::max(now_, *earliest->deadline);
  if (policy_.strict_time) time_mark_ = graph_.events_so_far();
  update_enabled(*earliest);
  return true;
}

}  // namespace heddle::engine
