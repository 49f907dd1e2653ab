// Threads that wait for descriptors, and the timers and signals that make descriptors ready.
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>

#include "engine/isolation/real.hpp"
#include "engine/processes/descriptor_steps.hpp"
#include "engine/processes/signals.hpp"

namespace heddle::engine {

namespace {

// How long the process blocks for the outside while a sleep or a timed wait could end instead. A child process acts
// in the end, so virtual time waits for it, as long as the sleep, but less than the usual --timeout.
constexpr std::uint64_t shortest_block = 50, longest_block_for_child = 4000;  // milliseconds
// The kernel allows no deeper ones.
constexpr int most_nested_sets = 5;
pollfd scratch[most_polled_files];

Deadline earlier(Deadline a, Deadline b) {
  if (!a) return b;
  return !b || *a < *b ? a : b;
}

}  // namespace

// ---- waiting ------------------------------------------------------------------------------------------------

bool Descriptors::wait(SyncObject& object, const Step& step, Request& request, const Patience& patience,
                       std::uint64_t site) {
  const Rule rule{&step, reinterpret_cast<std::uint64_t>(&request)};
  ProgramThread& self = threads_.current();
  self.wait_end = WaitEnd::ordinary;
  request.patience = patience.until;
  for (;;) {
    expire_timers();
    Deadline until = deadline_of(request);
    const bool is_ready = policy_.keeps_objects_in_graph
                              ? try_in_search(object, rule, until, site)
                              : executor_->wait_and_perform(object, rule, site, until).succeeded;
    if (is_ready) return true;
    if (self.wait_end != WaitEnd::ordinary) return false;
    until = deadline_of(request);  // another thread may have set a timer
    if (until && scheduler_.time().now() < *until) scheduler_.time().advance_by(*until - scheduler_.time().now());
    expire_timers();
    if (patience.until && scheduler_.time().now() >= *patience.until) {
      if (!policy_.keeps_objects_in_graph) add_empty_event(step.operation, site);
      return false;
    }
  }
}

/// A wait with a deadline may end before anything is ready, but only so often in a thread: a loop around it would have
/// executions without end. A thread that would give up without this bound is not deadlocked.
bool Descriptors::try_in_search(SyncObject& object, const Rule& rule, Deadline until, std::uint64_t site) {
  ProgramThread& self = threads_.current();
  Request& request = DescriptorSteps::request_of(rule);
  if (!until || self.given_up >= policy_.bounds.spurious) {
    self.would_give_up = static_cast<bool>(until);
    executor_->wait_and_perform(object, rule, site, no_deadline);
    self.would_give_up = false;
    return true;
  }
  request.never_waits = true;
  executor_->perform(object, rule, site);
  request.never_waits = false;
  if (request.is_ready()) return true;
  ++self.given_up;
  return false;
}

bool Descriptors::is_any_wait_outside() const {
  if (policy_.keeps_objects_in_graph) return false;
  for (ProgramThread* thread : threads_.threads()) {
    const Request* request = waiting_request_of(*thread);
    if (request != nullptr && request->can_block_outside) return true;
  }
  return false;
}

bool Descriptors::resolve_stuck(Deadline left) {
  std::size_t count = 0;
  bool has_enabled = false;
  if (policy_.keeps_objects_in_graph) return false;
  for (ProgramThread* thread : threads_.threads()) {
    const Request* request = waiting_request_of(*thread);
    if (request == nullptr) continue;
    scheduler_.update_enabled(*thread);  // the state of a file may have changed by a call that is not interposed
    has_enabled = has_enabled || thread->enabled;
    if (!request->can_block_outside) continue;
    for (const pollfd& each : request->files)
      if (count < most_polled_files) scratch[count++] = each;
  }
  if (has_enabled || count == 0) return has_enabled;
  const std::uint64_t longest = children_ != 0 ? longest_block_for_child : shortest_block;
  const int block = left ? static_cast<int>(std::clamp(*left / 1'000'000, shortest_block, longest)) : -1;
  while (const int ready = poll_kernel({scratch, count}, block))
    if (ready > 0) break;
  for (ProgramThread* thread : threads_.threads()) {
    Request* request = waiting_request_of(*thread);
    if (request == nullptr || !request->can_block_outside || poll_kernel(request->files, 0) <= 0) continue;
    request->is_granted = true;
    scheduler_.update_enabled(*thread);
    return true;
  }
  return false;
}

// ---- timers -------------------------------------------------------------------------------------------------

void Descriptors::arm(int fd, Deadline due, std::uint64_t interval) {
  DescriptorFile& timer = *file(fd);
  timer.due = due;
  timer.interval = interval;
  renew_deadlines();
  for (const DescriptorFile* known : timers_)
    if (known == &timer) return;
  timers_.push_back(execution_arena_, &timer);
}

/// The time at which the thread that made the request looks again.
Deadline Descriptors::deadline_of(const Request& request) const {
  return earlier(request.patience, next_expiry(request.files));
}

/// A timer was set, or entered an epoll set: threads may wait for it already. A search does not continue with them, but
/// it does not take them for deadlocked, either.
void Descriptors::renew_deadlines() {
  for (ProgramThread* thread : threads_.threads()) {
    const Request* request = thread == &threads_.current() ? nullptr : waiting_request_of(*thread);
    if (request == nullptr || request->never_waits) continue;
    if (policy_.keeps_objects_in_graph)
      thread->would_give_up = static_cast<bool>(deadline_of(*request));
    else
      thread->deadline = deadline_of(*request);
  }
}

void Descriptors::expire_timers() {
  for (DescriptorFile* timer : timers_)
    if (timer->due && *timer->due <= scheduler_.time().now()) expire(*timer);
}

/// The program's descriptor is that of an event counter, to which the expirations are added.
void Descriptors::expire(DescriptorFile& timer) {
  std::uint64_t times = 1;
  if (timer.interval == 0) {
    timer.due = no_deadline;
  } else {
    times += (scheduler_.time().now() - *timer.due) / timer.interval;
    timer.due = *timer.due + times * timer.interval;
  }
  const int error = errno;
  real().syscall(SYS_write, timer.number, &times, sizeof times);
  errno = error;
  update_waits(timer.number);
}

/// The program's descriptor is that of an event counter, which is 1 while one of the signals is pending.
void Descriptors::update_signal_files(const Signals& signals) {
  for (std::size_t i = 0; i < table_.size(); ++i) {
    const DescriptorFile* known = table_[i].file;
    if (known == nullptr || known->kind != FileKind::signals || known->number != static_cast<int>(i)) continue;
    const bool is_pending = signals.is_pending_anywhere(known->signals);
    pollfd asked{known->number, POLLIN, 0};
    if (is_pending == (poll_kernel({&asked, 1}, 0) > 0)) continue;
    std::uint64_t one = 1;
    const int error = errno;
    real().syscall(is_pending ? SYS_write : SYS_read, known->number, &one, sizeof one);
    errno = error;
    update_waits(known->number);
  }
}

Deadline Descriptors::next_expiry(std::span<const pollfd> files) const {
  Deadline next = no_deadline;
  for (const pollfd& each : files) next = earlier(next, next_expiry_of(each.fd, most_nested_sets));
  return next;
}

/// Of a timer, or of the timers in an epoll set, which may contain other sets.
Deadline Descriptors::next_expiry_of(int fd, int levels) const {
  const DescriptorFile* known = file(fd);
  if (known == nullptr) return no_deadline;
  Deadline next = known->kind == FileKind::timer ? known->due : no_deadline;
  if (levels == 0) return next;
  for (const int watched : known->watched) next = earlier(next, next_expiry_of(watched, levels - 1));
  return next;
}

}  // namespace heddle::engine
