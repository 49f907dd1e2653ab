#include "engine/processes/thread_calls.hpp"

#include <cerrno>

#include "engine/isolation/clean_call.hpp"
#include "engine/isolation/clean_stack.hpp"
#include "engine/isolation/real.hpp"
#include "engine/processes/signals.hpp"
#include "engine/reporting/finding_sink.hpp"
#include "engine/scheduling/execution_observer.hpp"

namespace heddle::engine {

using graph::EventId;
using graph::EventKind;
using graph::MemoryOrder;

namespace {
bool is_finished(const SyncObject& object, const ProgramThread&) { return object.is_done; }
}  // namespace

ProgramThread& ThreadCalls::begin_main(void* (*routine)(void*), void* argument) {
  ProgramThread& main = threads_.main_slot();
  begin_thread(main, routine, argument);
  return main;
}

void ThreadCalls::begin_thread(ProgramThread& thread, void* (*routine)(void*), void* argument) {
  threads_.begin_thread(thread, routine, argument, threads_.has_current() ? threads_.current().now : 0);
  graph_.add_thread(thread.id, thread.name);
  signals_.inherit_mask(thread);
  thread.fiber.start(thread_entry, this);
  scheduler_.add_thread(thread);
}

/// Records an event of the current thread that synchronises with one earlier event, its cause.
EventId ThreadCalls::record_after(EventKind kind, Operation operation, EventId cause, std::uint64_t site) {
  graph::Event& event = log_.begin_event(kind, MemoryOrder::plain, operation, site);
  event.synchronised = graph_.arena().copy_array(std::span<const EventId>(&cause, 1));
  return log_.record();
}

void ThreadCalls::thread_entry(void* argument) {
  auto& calls = *static_cast<ThreadCalls*>(argument);
  ProgramThread& self = calls.threads_.current();
  self.started = true;
  // The storage is as it was when the kernel thread started; the program's locale may be another one by now.
  if (self.parent != nullptr && real().ctype_init != nullptr) real().ctype_init();
  if (self.created != graph::no_event) {
    (void)calls.decider_.about_to_execute(self.id, self.pending);
    calls.record_after(EventKind::start, Operation::thread_start, self.created, 0);
  }
  if (self.interrupted) [[unlikely]]
    calls.signals_.answer(self, Delivery::asynchronous);
  if (calls.policy_.compares_local_state) {
    wipe_used_stack(self.fiber.stack());
    wipe_stack();
  }
  const std::uint64_t result = heddle_clean_call(reinterpret_cast<const void*>(self.routine),
                                                 reinterpret_cast<std::uint64_t>(self.argument), 0, 0);
  calls.finish(reinterpret_cast<void*>(result));
}

pthread_t ThreadCalls::create(bool detached, void* (*routine)(void*), void* argument, std::uint64_t site) {
  scheduler_.schedule_point(EventKind::create, MemoryOrder::plain, Operation::thread_create, graph::no_location, site);
  ProgramThread& thread = threads_.child_slot();
  begin_thread(thread, routine, argument);
  thread.detached = detached;
  if (policy_.check_leaks) thread.creation_stack = findings_.stack_now(site);
  sync_.held_locks().pass_to_child(thread);
  if (policy_.bounds.symmetry != 0) twins_.find_twin(thread);
  if (observer_.is_on()) observer_.record_child(thread, detached);
  log_.begin_event(EventKind::create, MemoryOrder::plain, Operation::thread_create, site);
  thread.created = log_.record();
  scheduler_.mark_progress();
  return thread.handle;
}

pthread_t ThreadCalls::create_service(void* (*routine)(void*), void* argument, std::uint64_t site) {
  const pthread_t handle = create(true, routine, argument, site);
  ProgramThread& thread = *threads_.find(handle);
  threads_.set_service(thread, true);
  signals_.update(thread);
  return handle;
}

int ThreadCalls::join(pthread_t handle, void** result, std::uint64_t site, Deadline deadline, bool only_tries) {
  ProgramThread* thread = threads_.find(handle);
  ProgramThread& self = threads_.current();
  if (thread == nullptr) return ESRCH;
  if (thread->joined) return misused("a thread is joined that was joined before", ESRCH, site);
  if (thread->detached) return misused("a thread is joined that is detached", EINVAL, site);
  if (thread == &self) return EDEADLK;
  const bool has_joiner = thread->joiner != nullptr && thread->joiner->waits_for == thread->done;
  if (has_joiner && thread->joiner != &self)
    return misused("a thread is joined that another thread waits to join", EINVAL, site);
  const bool may_give_up = only_tries || deadline;
  if (policy_.keeps_objects_in_graph && may_give_up) {
    if (gives_up_join(deadline, site)) return only_tries ? EBUSY : ETIMEDOUT;
    only_tries = false;
    deadline = no_deadline;
  }
  if (observer_.is_on() && !may_give_up) observer_.set_joined(thread->id);
  if (only_tries || thread->done->is_done) {
    scheduler_.schedule_point(EventKind::join, MemoryOrder::plain, Operation::thread_join, graph::no_location, site);
    if (!thread->done->is_done) return EBUSY;
  } else {
    thread->joiner = &self;
    self.would_give_up = policy_.keeps_objects_in_graph && may_give_up;
    const bool is_ready =
        scheduler_.await(*thread->done, is_finished, EventKind::join, Operation::thread_join, site, deadline);
    self.would_give_up = false;
    thread->joiner = nullptr;
    if (!is_ready) return self.wait_end == WaitEnd::by_cancellation ? EINTR : ETIMEDOUT;
  }
  record_after(EventKind::join, Operation::thread_join, thread->finished, site);
  scheduler_.mark_progress();
  threads_.mark_joined(*thread);
  sync_.held_locks().take_from_joined(*thread);
  if (self.now < thread->now) self.now = thread->now;
  if (policy_.bounds.symmetry != 0) twins_.remember_joined_twin(*thread);
  if (result != nullptr) *result = thread->result;
  return 0;
}

/// A search: whether a join with a time limit comes too early. Nothing in the graph forbids it, since a thread ends
/// later than everything that others can see of it. So this is a choice, an event without an effect. Its number has the
/// bound of timed waits (GraphExecutor::sleep): beyond it, the join waits, and a thread that waits so is not
/// deadlocked.
bool ThreadCalls::gives_up_join(Deadline deadline, std::uint64_t site) {
  ProgramThread& self = threads_.current();
  if (self.given_up >= policy_.bounds.spurious) return false;
  scheduler_.schedule_point(EventKind::fence, MemoryOrder::plain, Operation::thread_join, graph::no_location, site);
  const std::uint32_t chosen = scheduler_.choose_number(strategies::ChoiceKind::value, 2);
  graph::Event& event = log_.begin_event(EventKind::fence, MemoryOrder::plain, Operation::thread_join, site);
  event.read = chosen;
  log_.record();
  scheduler_.mark_progress();
  if (chosen == 0) return false;
  ++self.given_up;
  if (deadline && self.now < *deadline) self.now = *deadline;
  return true;
}

/// The program has used a thread in a way that POSIX leaves undefined. The C library returns the error.
int ThreadCalls::misused(const char* what, int error, std::uint64_t site) {
  findings_.report_at(FindingKind::misuse, what, site);
  return error;
}

void ThreadCalls::report_leaked_threads() {
  for (const ProgramThread* thread : threads_.threads())
    if (thread->parent != nullptr && !thread->joined && !thread->detached && !thread->is_service)
      findings_.report_thread_leak(*thread);
}

int ThreadCalls::detach(pthread_t handle, std::uint64_t site) {
  if (observer_.is_on()) observer_.mark_opaque();
  ProgramThread* thread = threads_.find(handle);
  if (thread == nullptr) return ESRCH;
  if (thread->joined) return misused("a thread is detached that was joined before", ESRCH, site);
  if (thread->detached) return misused("a thread is detached that is detached already", EINVAL, site);
  thread->detached = true;
  return 0;
}

void ThreadCalls::finish(void* result) {
  run_tls_destructors();
  keys_.run_destructors();
  sync_.abandon_robust_mutexes();
  sync_.held_locks().check_end_of_thread();
  ProgramThread& self = threads_.current();
  if (self.interrupted) signals_.answer(self, Delivery::asynchronous);
  if (observer_.is_on()) observer_.set_result(reinterpret_cast<std::uint64_t>(result));
  scheduler_.schedule_point(EventKind::finish, MemoryOrder::plain, Operation::thread_finish, graph::no_location, 0);
  signals_.end_thread(self);
  self.result = result;
  log_.begin_event(EventKind::finish, MemoryOrder::plain, Operation::thread_finish, 0);
  self.finished = log_.record();
  scheduler_.mark_progress();
  threads_.finish(self);
  if (self.interrupted) signals_.update(self);
  scheduler_.remove_thread(self);
  self.done->is_done = true;
  scheduler_.reconsider(*self.done);
  if (threads_.alive() == 0) exit_program({});
  scheduler_.leave_finished_thread();
}

void ThreadCalls::exit_program(ProgramExit exit) {
  if (observer_.is_on() && exit.status != 0) observer_.mark_opaque();  // it is reported
  // Threads that can still run may come first. A sampled execution has offered them at its scheduling points already.
  if (policy_.offers_threads_before_exit && threads_.current().enabled)
    scheduler_.schedule_point(EventKind::finish, MemoryOrder::plain, Operation::thread_finish, graph::no_location, 0,
                              true);
  if (exit.site == 0) sync_.held_locks().check_frames();  // main has returned
  if (policy_.check_leaks && !scheduler_.has_ended_with_finding()) {
    findings_.report_leaks();
    report_leaked_threads();
  }
  const strategies::Outcome outcome = scheduler_.outcome_if_over();
  end_.set_exit_status(exit.status);
  // In an execution that a bound or an assumption ended, the threads that dropped out could have changed the status.
  if (exit.status != 0 && !policy_.any_exit_status && outcome == strategies::Outcome::completed)
    findings_.report_exit_status(exit.status, exit.site);
  end_.end(outcome);
}

void ThreadCalls::add_tls_destructor(void (*function)(void*), void* object) {
  threads_.current().tls_destructors.push_back(execution_arena_, {function, object});
}

void ThreadCalls::run_tls_destructors() {
  auto& destructors = threads_.current().tls_destructors;
  while (!destructors.empty()) {  // a destructor may register another
    const TlsDestructor last = destructors.back();
    destructors.pop_back();
    last.function(last.object);
  }
}

}  // namespace heddle::engine
