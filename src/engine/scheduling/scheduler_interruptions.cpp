// Signals and cancellation: when a thread answers them.
#include "engine/scheduling/scheduler.hpp"

namespace heddle::engine {

using graph::EventKind;
using strategies::ChoiceKind;
using strategies::Outcome;
using strategies::PendingOperation;

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
  // The handler may as well have run just before the call, which continues to wait then: no thread can tell the
  // difference. Calls that wait for signals have a scheduling point of their own before them.
  if (!waits_for_signals && choose_number(ChoiceKind::value, 2) == 1) return AfterAnswer::go_on;
  self.wait_end = WaitEnd::by_signal;
  return AfterAnswer::stop;
}

}  // namespace heddle::engine
