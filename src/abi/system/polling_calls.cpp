// Waiting for several descriptors: poll, select, epoll. A call that would block is a wait that the scheduler knows, and
// its time-out is virtual time.
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>

#include <cstring>

#include "abi/instrumentation/user_memory.hpp"
#include "abi/system/descriptor_calls.hpp"

namespace heddle::abi {

namespace {

using engine::Descriptors;
using engine::Engine;
using engine::FileKind;
using engine::Patience;

constexpr std::uint64_t millisecond = 1000000;
constexpr long signal_set_size = _NSIG / 8;

/// The place of a call, and what a signal does to it.
struct Caller {
  std::uint64_t site;
  engine::Interruptible interruptible = engine::Interruptible::always;
};

/// `nanoseconds` is negative for a wait without an end.
Patience patience_for(Engine& engine, std::int64_t nanoseconds) {
  if (nanoseconds < 0) return {};
  if (nanoseconds == 0) return {.waits = false};
  return {.until = engine.scheduler().time().now() + static_cast<std::uint64_t>(nanoseconds)};
}
std::int64_t from_milliseconds(int milliseconds) {
  return milliseconds < 0 ? -1 : milliseconds * static_cast<std::int64_t>(millisecond);
}
std::int64_t from_timespec(const timespec* time) {
  return time == nullptr ? -1 : static_cast<std::int64_t>(nanoseconds(*time));
}

int fail(int error) {
  errno = error;
  return -1;
}
int fail_interrupted() { return fail(EINTR); }

/// A call that waits for no descriptor sleeps.
int sleep_instead(Engine& engine, std::int64_t time, std::uint64_t site) {
  at_cancellation_point(engine, engine::Interruptible::always,
                        [&] { return engine.scheduler().sleep(static_cast<std::uint64_t>(time), site); });
  return was_interrupted(engine) ? fail_interrupted() : 0;
}

bool wait_for(Engine& engine, std::span<pollfd> files, const Patience& patience, const Caller& caller) {
  const std::uint64_t site = caller.site;
  return at_cancellation_point(engine, caller.interruptible,
                               [&] { return engine.descriptors().wait_for(files, patience, site); });
}

int poll_files(Engine& engine, pollfd* files, nfds_t count, std::int64_t time, const Caller& caller) {
  const std::uint64_t site = caller.site;
  announce_array(files, count * sizeof *files, false, site);
  Descriptors& descriptors = engine.descriptors();
  if (count == 0 && time >= 0) return sleep_instead(engine, time, site);
  const bool was_ready = wait_for(engine, {files, count}, patience_for(engine, time), caller);
  if (!was_ready && was_interrupted(engine)) return fail_interrupted();
  const long ready = kernel(SYS_poll, files, count, 0);
  for (nfds_t i = 0; ready > 0 && i < count; ++i)
    if (files[i].revents != 0) descriptors.learn(files[i].fd, site);
  if (ready == 0 && was_ready) descriptors.yield_after_failed_try(site);
  for (nfds_t i = 0; ready >= 0 && i < count; ++i) writes_object(&files[i].revents, site);
  return static_cast<int>(ready);
}

/// The descriptors of the sets, for poll().
std::size_t list_files(int count, const fd_set* read, const fd_set* write, const fd_set* except, pollfd* out) {
  std::size_t size = 0;
  for (int fd = 0; fd < count && fd < FD_SETSIZE; ++fd) {
    const auto bit = [fd](const fd_set* set, short events) {
      return set != nullptr && FD_ISSET(fd, set) ? events : short{0};
    };
    const auto events = static_cast<short>(bit(read, POLLIN) | bit(write, POLLOUT) | bit(except, POLLPRI));
    if (events != 0) out[size++] = {fd, events, 0};
  }
  return size;
}

/// select looks at whole words of a set, and changes them.
void announce_sets(int count, std::span<fd_set* const> sets, bool is_write, std::uint64_t site) {
  constexpr int bits = NFDBITS;
  const auto words = static_cast<std::size_t>(count < 0 ? 0 : (count + bits - 1) / bits);
  for (const fd_set* set : sets) announce_array(set, words * sizeof(fd_mask), is_write, site);
}

int select_files(Engine& engine, int count, fd_set* read, fd_set* write, fd_set* except, std::int64_t time,
                 const Caller& caller) {
  const std::uint64_t site = caller.site;
  fd_set* const sets[] = {read, write, except};
  announce_sets(count, sets, false, site);
  pollfd files[FD_SETSIZE];
  const std::size_t size = list_files(count, read, write, except, files);
  if (size == 0 && time >= 0) {
    if (sleep_instead(engine, time, site) != 0) return -1;
  } else if (wait_for(engine, {files, size}, patience_for(engine, time), caller)) {
    kernel(SYS_poll, files, size, 0);
    for (std::size_t i = 0; i < size; ++i)
      if (files[i].revents != 0) engine.descriptors().learn(files[i].fd, site);
  } else if (was_interrupted(engine)) {
    return fail_interrupted();
  }
  timeval none{};
  const long ready = kernel(SYS_select, count, read, write, except, &none);
  if (ready == 0 && time == 0) engine.descriptors().yield_after_failed_try(site);
  if (ready >= 0) announce_sets(count, sets, true, site);
  return static_cast<int>(ready);
}

int wait_for_epoll(Engine& engine, int fd, epoll_event* events, int count, std::int64_t time, const Caller& caller) {
  const std::uint64_t site = caller.site;
  Descriptors& descriptors = engine.descriptors();
  const Patience patience = patience_for(engine, time);
  for (;;) {
    pollfd asked{fd, POLLIN, 0};
    if (!wait_for(engine, {&asked, 1}, patience, caller)) return was_interrupted(engine) ? fail_interrupted() : 0;
    const long ready = kernel(SYS_epoll_wait, fd, events, count, 0);
    if (ready > 0) {
      descriptors.learn_of_set(fd, site);
      descriptors.update_waits(fd);
    }
    if (ready > 0) announce_array(events, static_cast<std::size_t>(ready) * sizeof *events, true, site);
    if (ready != 0) return static_cast<int>(ready);
    descriptors.yield_after_failed_try(site);
    if (!patience.waits) return 0;
  }
}

/// Makes `call` with another signal mask. A signal that was pending interrupts the call.
template <typename Call>
int with_mask(Engine& engine, const sigset_t* mask, std::uint64_t site, Call call) {
  if (mask == nullptr) return call(Caller{site});
  engine::Signals& signals = engine.signals();
  const engine::SignalSet before = signals.mask();
  const std::uint32_t handled = engine.current().handled_signals;
  engine::SignalSet wanted = 0;
  std::memcpy(&wanted, mask, sizeof wanted);
  signals.set_mask(wanted, site);
  const int result = engine.current().handled_signals != handled
                         ? fail_interrupted()
                         : call(Caller{site, engine::Interruptible::only_inside});
  const int error = errno;
  signals.set_mask(before, site);
  errno = error;
  return result;
}

int change_epoll(int set, int operation, int fd, epoll_event* event, std::uint64_t site) {
  reads_object(event, site);
  Engine* engine = running_for_call(set, site);
  if (engine == nullptr) return static_cast<int>(kernel(SYS_epoll_ctl, set, operation, fd, event));
  engine->descriptors().release(set, site);
  const long result = kernel(SYS_epoll_ctl, set, operation, fd, event);
  if (result == 0) engine->descriptors().change_set(set, fd, operation == EPOLL_CTL_DEL);
  engine->descriptors().update_waits(set);
  return static_cast<int>(result);
}

int create_epoll(int flags, std::uint64_t site) {
  Engine* engine = running();
  if (engine != nullptr)
    engine->descriptors().change_table(site);
  else
    run_constructors_for_descriptor();
  const long fd = kernel(SYS_epoll_create1, flags);
  if (engine != nullptr && fd >= 0) engine->descriptors().add(static_cast<int>(fd), FileKind::epoll);
  return static_cast<int>(fd);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int poll(pollfd* files, nfds_t count, int milliseconds) {
  Engine* engine = running();
  if (engine == nullptr) return static_cast<int>(kernel(SYS_poll, files, count, milliseconds));
  return poll_files(*engine, files, count, from_milliseconds(milliseconds), {HEDDLE_CALLER});
}
int __poll_chk(pollfd* files, nfds_t count, int milliseconds, std::size_t room) {
  if (room / sizeof *files < count) __builtin_trap();
  Engine* engine = running();
  if (engine == nullptr) return static_cast<int>(kernel(SYS_poll, files, count, milliseconds));
  return poll_files(*engine, files, count, from_milliseconds(milliseconds), {HEDDLE_CALLER});
}
int ppoll(pollfd* files, nfds_t count, const timespec* time, const sigset_t* mask) {
  Engine* engine = running();
  if (engine == nullptr) {
    timespec copy = time == nullptr ? timespec{} : *time;  // the kernel writes the rest of the time
    return static_cast<int>(kernel(SYS_ppoll, files, count, time == nullptr ? nullptr : &copy, mask, signal_set_size));
  }
  if (time != nullptr && !is_duration(*time)) return fail(EINVAL);
  const std::uint64_t site = HEDDLE_CALLER;
  return with_mask(*engine, mask, site, [&](const Caller& caller) {
    return poll_files(*engine, files, count, from_timespec(time), caller);
  });
}

int select(int count, fd_set* read, fd_set* write, fd_set* except, timeval* time) {
  Engine* engine = running();
  if (engine == nullptr) return static_cast<int>(kernel(SYS_select, count, read, write, except, time));
  if (time != nullptr && (time->tv_sec < 0 || time->tv_usec < 0)) return fail(EINVAL);
  const timespec span = time == nullptr ? timespec{} : timespec{time->tv_sec, time->tv_usec * 1000};
  return select_files(*engine, count, read, write, except, from_timespec(time == nullptr ? nullptr : &span),
                      {HEDDLE_CALLER});
}
int pselect(int count, fd_set* read, fd_set* write, fd_set* except, const timespec* time, const sigset_t* mask) {
  Engine* engine = running();
  if (engine == nullptr) {
    timespec copy = time == nullptr ? timespec{} : *time;
    const struct {
      const sigset_t* set;
      long size;
    } signals{mask, signal_set_size};
    return static_cast<int>(
        kernel(SYS_pselect6, count, read, write, except, time == nullptr ? nullptr : &copy, &signals));
  }
  if (time != nullptr && !is_duration(*time)) return fail(EINVAL);
  const std::uint64_t site = HEDDLE_CALLER;
  return with_mask(*engine, mask, site, [&](const Caller& caller) {
    return select_files(*engine, count, read, write, except, from_timespec(time), caller);
  });
}

int epoll_create1(int flags) { return create_epoll(flags, HEDDLE_CALLER); }
int epoll_create(int size) {
  if (size > 0) return create_epoll(0, HEDDLE_CALLER);
  errno = EINVAL;
  return -1;
}
int epoll_ctl(int set, int operation, int fd, epoll_event* event) {
  return change_epoll(set, operation, fd, event, HEDDLE_CALLER);
}
int epoll_wait(int fd, epoll_event* events, int count, int milliseconds) {
  Engine* engine = running_for_call(fd, HEDDLE_CALLER);
  if (engine == nullptr || count <= 0) return static_cast<int>(kernel(SYS_epoll_wait, fd, events, count, milliseconds));
  return wait_for_epoll(*engine, fd, events, count, from_milliseconds(milliseconds), {HEDDLE_CALLER});
}
int epoll_pwait(int fd, epoll_event* events, int count, int milliseconds, const sigset_t* mask) {
  Engine* engine = running_for_call(fd, HEDDLE_CALLER);
  if (engine == nullptr || count <= 0)
    return static_cast<int>(kernel(SYS_epoll_pwait, fd, events, count, milliseconds, mask, signal_set_size));
  const std::uint64_t site = HEDDLE_CALLER;
  return with_mask(*engine, mask, site, [&](const Caller& caller) {
    return wait_for_epoll(*engine, fd, events, count, from_milliseconds(milliseconds), caller);
  });
}
int epoll_pwait2(int fd, epoll_event* events, int count, const timespec* time, const sigset_t* mask) {
  Engine* engine = running_for_call(fd, HEDDLE_CALLER);
  if (engine == nullptr || count <= 0)
    return static_cast<int>(kernel(SYS_epoll_pwait2, fd, events, count, time, mask, signal_set_size));
  if (time != nullptr && !is_duration(*time)) return fail(EINVAL);
  const std::uint64_t site = HEDDLE_CALLER;
  return with_mask(*engine, mask, site, [&](const Caller& caller) {
    return wait_for_epoll(*engine, fd, events, count, from_timespec(time), caller);
  });
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
