// timerfd: timers in virtual time. The descriptor is that of an event counter, to which the engine adds expirations
// (engine/processes/descriptors.hpp), so that reading and polling it is the kernel's matter.
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

#include "abi/instrumentation/user_memory.hpp"
#include "abi/system/descriptor_calls.hpp"

namespace heddle::abi {

namespace {

using engine::DescriptorFile;
using engine::Engine;
using engine::FileKind;

constexpr std::uint64_t second = 1000000000ULL;

timespec as_timespec(std::uint64_t nanoseconds) {
  return {static_cast<time_t>(nanoseconds / second), static_cast<long>(nanoseconds % second)};
}

/// The timer's setting as timerfd_gettime shows it: what is left, and the interval.
itimerspec setting_of(Engine& engine, const DescriptorFile& timer) {
  const std::uint64_t now = engine.scheduler().time().now();
  const std::uint64_t left = timer.due && *timer.due > now ? *timer.due - now : 0;
  return {as_timespec(timer.interval), as_timespec(left)};
}

Engine* running_for_timer(int fd) {
  Engine* engine = running_for_descriptor(fd);
  return engine != nullptr && engine->descriptors().file(fd)->kind == FileKind::timer ? engine : nullptr;
}

int arm_timer(Engine& engine, int fd, int flags, const itimerspec& setting, itimerspec* old, std::uint64_t site) {
  if (!is_duration(setting.it_value) || !is_duration(setting.it_interval)) {
    errno = EINVAL;
    return -1;
  }
  engine::Descriptors& descriptors = engine.descriptors();
  descriptors.release(fd, site);
  if (descriptors.file(fd) == nullptr) {  // another thread has closed it
    errno = EBADF;
    return -1;
  }
  descriptors.expire_timers();
  const DescriptorFile& timer = *descriptors.file(fd);
  if (old != nullptr) *old = setting_of(engine, timer);
  // A new setting discards expirations that were not read.
  std::uint64_t unread = 0;
  pollfd asked{fd, POLLIN, 0};
  if (kernel(SYS_poll, &asked, 1, 0) > 0) kernel(SYS_read, fd, &unread, sizeof unread);
  const std::uint64_t value = nanoseconds(setting.it_value);
  engine::Deadline due = engine::no_deadline;
  if (value != 0)
    due = (flags & TFD_TIMER_ABSTIME) != 0 ? virtual_deadline(timer.clock, setting.it_value)
                                           : engine.scheduler().time().now() + value;
  descriptors.arm(fd, due, nanoseconds(setting.it_interval));
  descriptors.update_waits(fd);
  return 0;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int timerfd_create(clockid_t clock, int flags) {
  Engine* engine = running();
  if (engine == nullptr) {
    run_constructors_for_descriptor();
    return static_cast<int>(kernel(SYS_timerfd_create, clock, flags));
  }
  if ((flags & ~(TFD_NONBLOCK | TFD_CLOEXEC)) != 0) {
    errno = EINVAL;
    return -1;
  }
  engine->descriptors().change_table(HEDDLE_CALLER);
  static_assert(int{TFD_NONBLOCK} == int{EFD_NONBLOCK} && int{TFD_CLOEXEC} == int{EFD_CLOEXEC});
  const long fd = kernel(SYS_eventfd2, 0, flags);
  if (fd >= 0) engine->descriptors().add(static_cast<int>(fd), FileKind::timer).clock = clock;
  return static_cast<int>(fd);
}

int timerfd_settime(int fd, int flags, const itimerspec* setting, itimerspec* old) {
  Engine* engine = running_for_timer(fd);
  if (engine == nullptr) return static_cast<int>(kernel(SYS_timerfd_settime, fd, flags, setting, old));
  reads_object(setting, HEDDLE_CALLER);
  const int result = arm_timer(*engine, fd, flags, *setting, old, HEDDLE_CALLER);
  if (result == 0) writes_object(old, HEDDLE_CALLER);
  return result;
}

int timerfd_gettime(int fd, itimerspec* setting) {
  Engine* engine = running_for_timer(fd);
  if (engine == nullptr) return static_cast<int>(kernel(SYS_timerfd_gettime, fd, setting));
  engine->descriptors().expire_timers();
  *setting = setting_of(*engine, *engine->descriptors().file(fd));
  writes_object(setting, HEDDLE_CALLER);
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
