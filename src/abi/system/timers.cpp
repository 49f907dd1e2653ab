// Timers of the program (engine/processes/timers.hpp), in virtual time.
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "abi/instrumentation/user_memory.hpp"
#include "abi/start/runtime.hpp"
#include "engine/isolation/real.hpp"

namespace heddle::abi {

namespace {

using engine::Engine;
using engine::Timer;

constexpr std::uint64_t second = 1000000000ULL, microsecond = 1000;

int fail(int error) {
  errno = error;
  return -1;
}

std::uint64_t nanoseconds_of(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * second + static_cast<std::uint64_t>(time.tv_usec) * microsecond;
}
bool is_duration(const timeval& time) { return time.tv_sec >= 0 && time.tv_usec >= 0 && time.tv_usec < 1000000; }
timeval as_timeval(std::uint64_t nanoseconds) {
  return {static_cast<time_t>(nanoseconds / second),
          static_cast<suseconds_t>((nanoseconds % second + microsecond - 1) / microsecond)};
}
timespec as_timespec(std::uint64_t nanoseconds) {
  return {static_cast<time_t>(nanoseconds / second), static_cast<long>(nanoseconds % second)};
}

// timer_t is a pointer to the program, and never null: 1 + the timer's number.
timer_t handle_of(const Timer& timer) {
  return reinterpret_cast<timer_t>(static_cast<std::uintptr_t>(timer.number) + 1);
}
Timer* timer_of(timer_t handle) {
  return running()->timers().find(static_cast<int>(reinterpret_cast<std::uintptr_t>(handle)) - 1);
}

/// Arms the timer of setitimer or alarm. Returns the nanoseconds that were left.
std::uint64_t set_process_timer(Engine& engine, int which, std::uint64_t span, std::uint64_t interval,
                                std::uint64_t site) {
  Timer& timer = engine.timers().process_timer(which);
  const std::uint64_t left = engine.timers().left(timer);
  engine.timers().set(timer, span == 0 ? 0 : engine.scheduler().time().now() + span, interval, site);
  return left;
}

/// A look at a timer is a look at the clock: a loop that polls it sees time pass.
void let_time_pass(Engine& engine, std::uint64_t site) { engine.scheduler().read_clock(site, site); }

itimerspec setting_of(Engine& engine, const Timer& timer) {
  return {as_timespec(timer.interval), as_timespec(engine.timers().left(timer))};
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

unsigned alarm(unsigned seconds) {
  Engine* engine = running();
  if (engine == nullptr) return static_cast<unsigned>(engine::real().syscall(SYS_alarm, seconds));
  const std::uint64_t left = set_process_timer(*engine, ITIMER_REAL, seconds * second, 0, HEDDLE_CALLER);
  return static_cast<unsigned>((left + second - 1) / second);
}
useconds_t ualarm(useconds_t span, useconds_t interval) {
  Engine* engine = running();
  if (engine == nullptr) return engine::next_function<useconds_t (*)(useconds_t, useconds_t)>("ualarm")(span, interval);
  const std::uint64_t left =
      set_process_timer(*engine, ITIMER_REAL, span * microsecond, interval * microsecond, HEDDLE_CALLER);
  return static_cast<useconds_t>(left / microsecond);
}

int setitimer(__itimer_which_t which, const itimerval* setting, itimerval* old) {
  Engine* engine = running();
  if (engine == nullptr) return static_cast<int>(engine::real().syscall(SYS_setitimer, which, setting, old));
  if (static_cast<unsigned>(which) > ITIMER_PROF || setting == nullptr) return fail(EINVAL);
  if (!is_duration(setting->it_value) || !is_duration(setting->it_interval)) return fail(EINVAL);
  reads_object(setting, HEDDLE_CALLER);
  writes_object(old, HEDDLE_CALLER);
  Timer& timer = engine->timers().process_timer(static_cast<int>(which));
  if (old != nullptr) *old = {as_timeval(timer.interval), as_timeval(engine->timers().left(timer))};
  set_process_timer(*engine, static_cast<int>(which), nanoseconds_of(setting->it_value),
                    nanoseconds_of(setting->it_interval), HEDDLE_CALLER);
  return 0;
}
int getitimer(__itimer_which_t which, itimerval* setting) {
  Engine* engine = running();
  if (engine == nullptr) return static_cast<int>(engine::real().syscall(SYS_getitimer, which, setting));
  if (static_cast<unsigned>(which) > ITIMER_PROF) return fail(EINVAL);
  let_time_pass(*engine, HEDDLE_CALLER);
  const Timer& timer = engine->timers().process_timer(static_cast<int>(which));
  *setting = {as_timeval(timer.interval), as_timeval(engine->timers().left(timer))};
  writes_object(setting, HEDDLE_CALLER);
  return 0;
}

int timer_create(clockid_t clock, sigevent* event, timer_t* out) {
  Engine* engine = running();
  if (engine == nullptr)
    return engine::next_function<int (*)(clockid_t, sigevent*, timer_t*)>("timer_create")(clock, event, out);
  sigevent what{};
  what.sigev_notify = SIGEV_SIGNAL;
  what.sigev_signo = SIGALRM;
  if (event != nullptr) what = *event;
  engine::ProgramThread* receiver = nullptr;
  switch (what.sigev_notify) {
    case SIGEV_NONE:
    case SIGEV_SIGNAL:
    case SIGEV_THREAD: break;
    case SIGEV_THREAD_ID:
      for (engine::ProgramThread* thread : engine->threads().threads())
        if (thread_id(*thread) == what._sigev_un._tid) receiver = thread;
      if (receiver == nullptr) return fail(EINVAL);
      break;
    default: return fail(EINVAL);
  }
  Timer& timer = engine->timers().create(what, receiver);
  if (event == nullptr) timer.event.sigev_value.sival_int = timer.number + 1;
  timer.clock = clock;
  *out = handle_of(timer);
  reads_object(event, HEDDLE_CALLER);
  writes_object(out, HEDDLE_CALLER);
  return 0;
}

int timer_settime(timer_t handle, int flags, const itimerspec* setting, itimerspec* old) {
  Engine* engine = running();
  if (engine == nullptr)
    return engine::next_function<int (*)(timer_t, int, const itimerspec*, itimerspec*)>("timer_settime")(handle, flags,
                                                                                                         setting, old);
  Timer* timer = timer_of(handle);
  if (timer == nullptr || !is_duration(setting->it_value) || !is_duration(setting->it_interval)) return fail(EINVAL);
  if (old != nullptr) *old = setting_of(*engine, *timer);
  reads_object(setting, HEDDLE_CALLER);
  writes_object(old, HEDDLE_CALLER);
  const std::uint64_t span = nanoseconds(setting->it_value), now = engine->scheduler().time().now();
  std::uint64_t expiry = span == 0 ? 0 : now + span;
  if (span != 0 && (flags & TIMER_ABSTIME) != 0) {
    const std::uint64_t at = virtual_deadline(timer->clock, setting->it_value);
    expiry = at > now ? at : now + 1;
  }
  engine->timers().set(*timer, expiry, nanoseconds(setting->it_interval), HEDDLE_CALLER);
  return 0;
}
int timer_gettime(timer_t handle, itimerspec* setting) {
  Engine* engine = running();
  if (engine == nullptr) return engine::next_function<int (*)(timer_t, itimerspec*)>("timer_gettime")(handle, setting);
  const Timer* timer = timer_of(handle);
  if (timer == nullptr) return fail(EINVAL);
  let_time_pass(*engine, HEDDLE_CALLER);
  *setting = setting_of(*engine, *timer);
  writes_object(setting, HEDDLE_CALLER);
  return 0;
}
int timer_getoverrun(timer_t handle) {
  if (running() == nullptr) return engine::next_function<int (*)(timer_t)>("timer_getoverrun")(handle);
  const Timer* timer = timer_of(handle);
  return timer == nullptr ? fail(EINVAL) : static_cast<int>(timer->overruns);
}
int timer_delete(timer_t handle) {
  Engine* engine = running();
  if (engine == nullptr) return engine::next_function<int (*)(timer_t)>("timer_delete")(handle);
  Timer* timer = timer_of(handle);
  if (timer == nullptr) return fail(EINVAL);
  engine->timers().remove(*timer, HEDDLE_CALLER);
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
