// Virtual time. It starts at the same moment in every execution and advances with events and with reads of clocks; a
// sleep is a scheduling point. docs/time.md describes it.
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>

#include "abi/instrumentation/user_memory.hpp"
#include "abi/start/runtime.hpp"
#include "abi/threads/cancellation.hpp"
#include "engine/isolation/real.hpp"

namespace heddle::abi {

namespace {

constexpr std::uint64_t second = 1000000000ULL;
// The time of day (a Tuesday in November 2023) and the time since boot at the start of every execution.
constexpr std::uint64_t real_start = 1700000000ULL * second;
constexpr std::uint64_t monotonic_start = 1000ULL * second;

bool is_time_of_day(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }
std::uint64_t start_of(clockid_t clock) { return is_time_of_day(clock) ? real_start : monotonic_start; }

timespec as_timespec(std::uint64_t nanoseconds) {
  return {static_cast<time_t>(nanoseconds / second), static_cast<long>(nanoseconds % second)};
}

/// The call of the program that asks for the time. The C++ library's clocks call the C library's functions.
std::uint64_t place_of_clock_read(engine::Engine& engine, std::uint64_t site) {
  if (engine.modules().is_instrumented_code(site)) return site;
  // Walking a frame takes as long as some events. Mostly the program is right behind the C++ library.
  std::uint64_t frames[16];
  for (const std::size_t most : {std::size_t{6}, std::size(frames)}) {
    const std::size_t count = engine.walk_current_stack({frames, most});
    for (std::size_t i = 0; i < count; ++i)
      if (engine.modules().is_instrumented_code(frames[i])) return frames[i];
    if (count < most) break;
  }
  return site;
}

/// Sleeps. Returns the time that was left when the handler of a signal ended the sleep.
std::uint64_t sleep_for(engine::Engine& engine, std::uint64_t span, std::uint64_t site) {
  return at_cancellation_point(engine, [&] { return engine.scheduler().sleep(span, site); });
}
/// Was the last sleep of the current thread ended by the handler of a signal?
bool was_interrupted(engine::Engine& engine) { return engine.current().take_wait_end() == engine::WaitEnd::by_signal; }

/// Whether the clock is one of those with small numbers, which every kernel has. Others may be clocks of threads,
/// processes or devices: the kernel knows whether they exist.
bool is_common_clock(clockid_t clock) { return clock >= CLOCK_REALTIME && clock <= CLOCK_BOOTTIME; }

/// 0, or why no thread can sleep by the clock.
int error_of_sleep(clockid_t clock) {
  if (is_clock_of_waits(clock) || clock == CLOCK_PROCESS_CPUTIME_ID) return 0;
  if (clock == CLOCK_THREAD_CPUTIME_ID) return EINVAL;  // the C library does not ask the kernel
  const timespec none{};
  const int error = errno;
  const bool can_sleep = engine::real().syscall(SYS_clock_nanosleep, clock, 0, &none, nullptr) == 0;
  const int why = can_sleep ? 0 : errno;
  errno = error;
  return why;
}

int read_clock(clockid_t clock, timespec* time, std::uint64_t site) {
  engine::Engine* engine = running();
  if (engine == nullptr || (!is_common_clock(clock) && engine::real().clock_gettime(clock, time) != 0))
    return engine::real().clock_gettime(clock, time);
  *time = as_timespec(start_of(clock) + engine->scheduler().read_clock(place_of_clock_read(*engine, site), site));
  return 0;
}

}  // namespace

std::uint64_t virtual_deadline(clockid_t clock, const timespec& time) {
  const std::uint64_t at = nanoseconds(time);
  return at <= start_of(clock) ? 0 : at - start_of(clock);
}

#pragma GCC visibility push(default)
extern "C" {

int clock_gettime(clockid_t clock, timespec* time) {
  const int result = read_clock(clock, time, HEDDLE_CALLER);
  if (result == 0) writes_object(time, HEDDLE_CALLER);
  return result;
}

int gettimeofday(timeval* time, void*) {
  timespec now;
  read_clock(CLOCK_REALTIME, &now, HEDDLE_CALLER);
  *time = {now.tv_sec, now.tv_nsec / 1000};
  writes_object(time, HEDDLE_CALLER);
  return 0;
}

time_t time(time_t* out) {
  timespec now;
  read_clock(CLOCK_REALTIME, &now, HEDDLE_CALLER);
  if (out != nullptr) *out = now.tv_sec;
  writes_object(out, HEDDLE_CALLER);
  return now.tv_sec;
}

int timespec_get(timespec* out, int base) {
  read_clock(CLOCK_REALTIME, out, HEDDLE_CALLER);
  writes_object(out, HEDDLE_CALLER);
  return base;
}

clock_t clock() {
  timespec now;
  read_clock(CLOCK_PROCESS_CPUTIME_ID, &now, HEDDLE_CALLER);
  return static_cast<clock_t>(nanoseconds(now) / (second / CLOCKS_PER_SEC));
}

int nanosleep(const timespec* span, timespec* remaining) {
  reads_object(span, HEDDLE_CALLER);
  if (!is_duration(*span)) {
    errno = EINVAL;
    return -1;
  }
  engine::Engine* engine = running();
  if (engine == nullptr) return static_cast<int>(engine::real().syscall(SYS_nanosleep, span, remaining));
  const std::uint64_t left = sleep_for(*engine, nanoseconds(*span), HEDDLE_CALLER);
  if (remaining != nullptr) *remaining = as_timespec(left);
  if (!was_interrupted(*engine)) return 0;
  writes_object(remaining, HEDDLE_CALLER);
  errno = EINTR;
  return -1;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* remaining) {
  engine::Engine* engine = running();
  reads_object(time, HEDDLE_CALLER);
  if (engine == nullptr)
    return engine::real().syscall(SYS_clock_nanosleep, clock, flags, time, remaining) == 0 ? 0 : errno;
  if (const int error = error_of_sleep(clock)) return error;
  if (!is_duration(*time)) return EINVAL;
  std::uint64_t span = nanoseconds(*time);
  if ((flags & TIMER_ABSTIME) != 0) {
    const std::uint64_t until = virtual_deadline(clock, *time);
    span = until > engine->scheduler().time().now() ? until - engine->scheduler().time().now() : 0;
  }
  const std::uint64_t left = sleep_for(*engine, span, HEDDLE_CALLER);
  if (remaining != nullptr && (flags & TIMER_ABSTIME) == 0) *remaining = as_timespec(left);
  return was_interrupted(*engine) ? EINTR : 0;
}

int usleep(useconds_t microseconds) {
  if (engine::Engine* engine = running()) {
    sleep_for(*engine, microseconds * 1000ULL, HEDDLE_CALLER);
    if (!was_interrupted(*engine)) return 0;
    errno = EINTR;
    return -1;
  }
  const timespec span = as_timespec(microseconds * 1000ULL);
  return nanosleep(&span, nullptr);
}

unsigned sleep(unsigned seconds) {
  if (engine::Engine* engine = running()) {
    const std::uint64_t left = sleep_for(*engine, seconds * second, HEDDLE_CALLER);
    return was_interrupted(*engine) ? static_cast<unsigned>((left + second / 2) / second) : 0;
  }
  const timespec span{static_cast<time_t>(seconds), 0};
  timespec left{};
  return nanosleep(&span, &left) == 0 ? 0 : static_cast<unsigned>(left.tv_sec);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
