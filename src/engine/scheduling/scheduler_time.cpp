// Virtual time: sleeps, reads of clocks, and which waits end early.
#include <algorithm>

#include "engine/scheduling/scheduler.hpp"

namespace heddle::engine {

using graph::EventKind;
using strategies::ChoiceKind;

/// Strict time: a thread that tries again and again what another thread does not allow, such as to lock a mutex, waits
/// for that thread, which may sleep.
void Scheduler::let_time_pass_in_vain(std::uint64_t site) {
  ProgramThread& self = threads_.current();
  if (!self.loops.spin.had_no_effect(SpinDetector::Purpose::vain_try)) return self.vain_tries.reset();
  const std::uint64_t passes = self.vain_tries.next(events_of_others(self), false);
  if (passes != ClockReads::tick) sleep_until(time_.shared() + passes, site);
}

std::uint64_t Scheduler::events_of_others(const ProgramThread& thread) const {
  return graph_.events_so_far() - graph_.thread(thread.id).index / 2;  // events have the even indices
}

std::uint64_t Scheduler::sleep(std::uint64_t nanoseconds, std::uint64_t site) {
  const std::uint64_t until = time_.now() + nanoseconds;
  if ((policy_.strict_time || outside_.awaits_child()) && nanoseconds != 0) return sleep_until(until, site);
  ProgramThread& self = threads_.current();
  self.wait_end = WaitEnd::ordinary;
  schedule_point(EventKind::fence, graph::MemoryOrder::plain, Operation::sleep, graph::no_location, site, true);
  if (self.wait_end != WaitEnd::ordinary) [[unlikely]]
    return until > time_.now() ? until - time_.now() : 0;
  time_.advance_to(until);
  if (nanoseconds != 0) record_end_of_wait({EarlyEnd::Kind::sleep, nanoseconds, VirtualTime::place_of_wait(0, site)});
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
  return is_over || time <= time_.now() ? 0 : time - time_.now();
}

/// A thread that polls a clock sleeps, so other threads run in the meantime. It waits for time, so its loop is not
/// closed.
std::uint64_t Scheduler::read_clock(std::uint64_t place, std::uint64_t site) {
  time_.mark_read();
  ProgramThread& self = threads_.current();
  self.loops.record_clock_read();
  // A search does not repeat thousands of iterations: time passes faster in any case.
  const bool had_no_effect = self.loops.spin.had_no_effect(SpinDetector::Purpose::clock);
  const bool made_progress = !had_no_effect && !policy_.clock_per_thread;
  const std::uint64_t passes = self.clock_reads.next(place, made_progress);
  if (passes == ClockReads::tick)
    time_.advance_by(passes);
  else
    sleep(passes, site);
  return time_.now();
}

void Scheduler::record_end_of_wait(const EarlyEnd& wait) {
  if (enabled_.size() > 1 || internal_steps_.any()) return time_.record_early_end(wait);
  time_.record_long_wait(wait, graph_.events_so_far());
}

/// The thread is about to wait until its deadline at most. With strict time, a wait whose deadline has passed takes
/// time as a read of a clock does: a loop around it waits for another thread, which may sleep.
void Scheduler::prepare_to_time_out(ProgramThread& self) {
  if (policy_.strict_time) {
    if (*self.deadline > time_.shared()) return;
    self.deadline = time_.shared() + self.expired_waits.next(events_of_others(self), false);
    return;
  }
  if (!self.is_watchdog && !outside_.awaits_child()) self.gives_up = choose_number(ChoiceKind::timeout, 2) == 1;
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
  if (policy_.strict_time || earliest->sleeps) time_.advance_shared_to(*earliest->deadline);
  if (policy_.strict_time) time_.set_mark(graph_.events_so_far());
  update_enabled(*earliest);
  return true;
}

}  // namespace heddle::engine
