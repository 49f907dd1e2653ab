#include "engine/processes/timers.hpp"

#include <sys/time.h>

#include <algorithm>

namespace heddle::engine {

using graph::EventKind;

namespace {
bool setting_changed(const SyncObject& object, const ProgramThread&) {
  return static_cast<std::uint64_t>(object.state.value) != object.initial;
}
bool taken_or_changed(const SyncObject& object, const ProgramThread& thread) {
  return object.is_done || setting_changed(object, thread);
}
}  // namespace

Timer& Timers::create(const sigevent& event, ProgramThread* receiver) {
  auto* timer = execution_arena_.create<Timer>();
  timer->number = static_cast<int>(timers_.size());
  timer->event = event;
  timer->receiver = receiver;
  timer->object.kind = SyncKind::timer;
  timers_.push_back(execution_arena_, timer);
  return *timer;
}

Timer* Timers::find(int number) {
  if (number < 0 || static_cast<std::size_t>(number) >= timers_.size()) return nullptr;
  Timer* timer = timers_[static_cast<std::size_t>(number)];
  return timer->is_deleted ? nullptr : timer;
}

void Timers::remove(Timer& timer, std::uint64_t site) {
  set(timer, 0, 0, site);
  timer.is_deleted = true;
}

Timer& Timers::process_timer(int which) {
  if (process_timers_[which] == nullptr) {
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = which == ITIMER_REAL ? SIGALRM : which == ITIMER_VIRTUAL ? SIGVTALRM : SIGPROF;
    process_timers_[which] = &create(event, nullptr);
  }
  return *process_timers_[which];
}

void Timers::set(Timer& timer, std::uint64_t expiry, std::uint64_t interval, std::uint64_t site) {
  const bool notifies = timer.event.sigev_notify != SIGEV_NONE;
  if (expiry != 0 && notifies && is_search_)
    end_.unsupported(
        "the exhaustive search does not know timers that expire; use a sampling strategy, such as --strategy random");
  scheduler_.schedule_point(EventKind::unlock, graph::MemoryOrder::plain, Operation::timer, graph::no_location, site);
  timer.is_armed = expiry != 0;
  timer.expiry = expiry;
  timer.interval = interval;
  timer.overruns = 0;
  if (!notifies) return;
  timer.object.state.value += 1;
  if (timer.service == nullptr) {
    if (timer.is_armed) start_service(timer, site);
    return;
  }
  sync_.annotate_release(timer.service->handle, site);
  scheduler_.reconsider(timer.object);
}

std::uint64_t Timers::left(const Timer& timer) const {
  if (!timer.is_armed) return 0;
  const std::uint64_t now = scheduler_.time().now();
  if (timer.expiry > now) return timer.expiry - now;
  if (timer.event.sigev_notify != SIGEV_NONE || timer.interval == 0) return timer.interval == 0 ? 0 : 1;
  return timer.interval - (now - timer.expiry) % timer.interval;
}

// ---- service threads ----------------------------------------------------------------------------------------

void Timers::start_service(Timer& timer, std::uint64_t site) {
  auto* service = execution_arena_.create<Service>();
  *service = {this, &timer};
  const pthread_t handle = thread_calls_.create_service(serve, service, site);
  timer.service = threads_.find(handle);
}

void* Timers::serve(void* argument) {
  const auto& service = *static_cast<Service*>(argument);
  service.timers->serve(*service.timer);
}

void Timers::serve(Timer& timer) {
  for (;;) {
    timer.object.initial = static_cast<std::uint64_t>(timer.object.state.value);
    const Deadline deadline = timer.is_armed ? Deadline(timer.expiry) : no_deadline;
    ProgramThread& self = threads_.current();
    self.is_watchdog = would_end_program(timer);
    const bool has_changed =
        scheduler_.await(timer.object, setting_changed, EventKind::lock, Operation::timer, 0, deadline);
    sync_.annotate_acquire(self.handle, 0);
    // The handler may be gone since the strategy decided that the timer may expire.
    if (!has_changed && (self.is_watchdog || !would_end_program(timer))) expire(timer);
  }
}

bool Timers::would_end_program(const Timer& timer) const {
  return timer.event.sigev_notify != SIGEV_THREAD && signals_.ends_program(timer.event.sigev_signo);
}

void Timers::wake_services(int signal) {
  for (Timer* timer : timers_) {
    if (timer->service == nullptr || timer->event.sigev_notify == SIGEV_THREAD) continue;
    if (timer->event.sigev_signo != signal) continue;
    timer->object.state.value += 1;
    scheduler_.reconsider(timer->object);
  }
}

void Timers::expire(Timer& timer) {
  const std::uint64_t setting = static_cast<std::uint64_t>(timer.object.state.value);
  timer.is_armed = timer.interval != 0;
  timer.expiry += timer.interval;
  if (timer.event.sigev_notify == SIGEV_THREAD) return notify(timer);
  siginfo_t info{};
  info.si_signo = timer.event.sigev_signo;
  info.si_code = SI_TIMER;
  info.si_value = timer.event.sigev_value;
  info.si_timerid = timer.number;
  if (!signals_.send_of_timer(timer.receiver, info, timer.object)) {
    timer.is_armed = false;  // no one will ever see it expire
    return;
  }
  // The signal is pending once, however often the timer expires meanwhile. So it begins again when the signal is taken.
  if (!timer.is_armed) return;
  scheduler_.await(timer.object, taken_or_changed, EventKind::lock, Operation::timer, 0);
  const std::uint64_t now = scheduler_.time().now();
  if (static_cast<std::uint64_t>(timer.object.state.value) != setting || timer.expiry > now) return;
  const std::uint64_t missed = (now - timer.expiry) / timer.interval + 1;
  timer.overruns = static_cast<std::uint32_t>(std::min<std::uint64_t>(missed, INT32_MAX));
  timer.expiry += missed * timer.interval;
}

/// SIGEV_THREAD: while the program's function runs, the service thread is a thread of the program like others.
void Timers::notify(Timer& timer) {
  threads_.set_service(threads_.current(), false);
  timer.event.sigev_notify_function(timer.event.sigev_value);
  threads_.set_service(threads_.current(), true);
}

}  // namespace heddle::engine
