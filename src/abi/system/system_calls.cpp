// System calls that the program makes with syscall(): futexes, which C++20 atomic waits use, random bytes, and the end
// of the process. All other calls go to the kernel, and a search is no proof if they may use memory of the program. And
// the numbers of processes and threads.
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>

#include "abi/libc/random_numbers.hpp"
#include "abi/start/outside_influence.hpp"
#include "abi/start/process.hpp"
#include "abi/start/runtime.hpp"
#include "abi/system/child_processes.hpp"
#include "abi/system/descriptor_calls.hpp"
#include "engine/isolation/real.hpp"

namespace heddle::abi {

namespace {

engine::Deadline futex_deadline(engine::Engine& engine, long operation, const timespec* time) {
  if (time == nullptr || engine.current().ignores_futex_time_limit) return engine::no_deadline;
  if ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT)
    return engine.scheduler().time().now() + nanoseconds(*time);  // a duration, not a time
  return virtual_deadline((operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC, *time);
}

/// The name of an operation that heddle does not support.
const char* name_of_futex_operation(long operation) {
  switch (operation) {
    case FUTEX_FD: return "FUTEX_FD";
    case FUTEX_REQUEUE: return "FUTEX_REQUEUE";
    case FUTEX_CMP_REQUEUE: return "FUTEX_CMP_REQUEUE";
    case FUTEX_WAKE_OP: return "FUTEX_WAKE_OP";
    case FUTEX_LOCK_PI: return "FUTEX_LOCK_PI";
    case FUTEX_UNLOCK_PI: return "FUTEX_UNLOCK_PI";
    case FUTEX_TRYLOCK_PI: return "FUTEX_TRYLOCK_PI";
    case FUTEX_WAIT_REQUEUE_PI: return "FUTEX_WAIT_REQUEUE_PI";
    case FUTEX_CMP_REQUEUE_PI: return "FUTEX_CMP_REQUEUE_PI";
    case FUTEX_LOCK_PI2: return "FUTEX_LOCK_PI2";
    default: return "unknown";
  }
}

long futex(engine::Engine& engine, std::uintptr_t address, long operation, std::uint32_t value, const timespec* time,
           std::uint64_t site) {
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET: {
      if (time != nullptr && !is_duration(*time)) {
        errno = EINVAL;
        return -1;
      }
      engine.current().interruptible = engine::Interruptible::unless_restarted;
      const int error = engine.sync().wait_futex(address, value, site, futex_deadline(engine, operation, time));
      engine.current().interruptible = engine::Interruptible::never;
      if (error == 0) return 0;
      errno = error;
      return -1;
    }
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: return engine.sync().wake_futex(address, value, site);
    default:
      engine.execution().unsupported("the program uses the futex operation %s (%ld), which heddle does not support",
                                     name_of_futex_operation(operation & FUTEX_CMD_MASK), operation & FUTEX_CMD_MASK);
  }
}

bool creates_process(long number) {
#if defined(SYS_fork)
  if (number == SYS_fork || number == SYS_vfork) return true;
#endif
  return number == SYS_clone || number == SYS_clone3;
}

/// clone does what fork does if it shares nothing and the child keeps its place on the stack.
long create_process(engine::Engine& engine, long number, const long* arguments, std::uint64_t site) {
  if (number == SYS_clone3) refuse_clone(engine, "clone3");
  if (number == SYS_clone && ((arguments[0] & ~CSIGNAL) != 0 || arguments[1] != 0)) refuse_clone(engine, "clone");
  return fork_for_exec(engine, site);
}

/// It uses no memory of the program, or it is handled here.
bool is_harmless(long number) {
  switch (number) {
    case SYS_execve:
    case SYS_execveat:
    case SYS_exit:
    case SYS_exit_group:
    case SYS_fdatasync:
    case SYS_fsync:
    case SYS_futex:
    case SYS_getegid:
    case SYS_geteuid:
    case SYS_getgid:
    case SYS_getpgid:
    case SYS_getpid:
    case SYS_getppid:
    case SYS_getrandom:
    case SYS_getsid:
    case SYS_gettid:
    case SYS_getuid:
    case SYS_kill:
    case SYS_membarrier:
    case SYS_read:
    case SYS_rt_sigprocmask:
    case SYS_sched_yield:
    case SYS_tgkill:
    case SYS_tkill:
    case SYS_umask:
    case SYS_write: return true;
    default: return creates_process(number);
  }
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

long syscall(long number, ...) {
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& argument : a) argument = va_arg(list, long);
  va_end(list);
  engine::Engine* engine = running();
  if (engine != nullptr && number == SYS_futex)
    return futex(*engine, static_cast<std::uintptr_t>(a[0]), a[1], static_cast<std::uint32_t>(a[2]),
                 reinterpret_cast<const timespec*>(a[3]), HEDDLE_CALLER);
  if (engine != nullptr && !is_harmless(number)) engine->findings().withhold_proof(channel::ProofGap::system_calls);
  if (engine != nullptr && number == SYS_read)
    return read_bytes(static_cast<int>(a[0]), reinterpret_cast<void*>(a[1]), static_cast<std::size_t>(a[2]),
                      HEDDLE_CALLER);
  if (engine != nullptr && number == SYS_write)
    return write_bytes(static_cast<int>(a[0]), reinterpret_cast<const void*>(a[1]), static_cast<std::size_t>(a[2]),
                       HEDDLE_CALLER);
  if (engine != nullptr && number == SYS_rt_sigaction) engine->stop_watching_memory();
  if (engine != nullptr && number == SYS_rt_sigprocmask)
    return ::sigprocmask(static_cast<int>(a[0]), reinterpret_cast<const sigset_t*>(a[1]),
                         reinterpret_cast<sigset_t*>(a[2]));
  if (engine != nullptr && number == SYS_kill) return ::kill(static_cast<pid_t>(a[0]), static_cast<int>(a[1]));
  if (engine != nullptr && number == SYS_tgkill)
    return ::tgkill(static_cast<pid_t>(a[0]), static_cast<pid_t>(a[1]), static_cast<int>(a[2]));
  if (engine != nullptr && number == SYS_tkill)
    return ::tgkill(program_pid, static_cast<pid_t>(a[0]), static_cast<int>(a[1]));
  if (engine != nullptr && number == SYS_exit_group) exit_at_once(static_cast<int>(a[0]), HEDDLE_CALLER);
  if (engine != nullptr && number == SYS_exit)
    engine->execution().unsupported(
        "the program ends a thread with the system call SYS_exit, which heddle does not support; use pthread_exit");
  if (number == SYS_execve && (engine != nullptr || is_forked_child()))
    return ::execve(reinterpret_cast<const char*>(a[0]), reinterpret_cast<char* const*>(a[1]),
                    reinterpret_cast<char* const*>(a[2]));
  if (number == SYS_execveat && (engine != nullptr || is_forked_child()))
    return ::execveat(static_cast<int>(a[0]), reinterpret_cast<const char*>(a[1]), reinterpret_cast<char* const*>(a[2]),
                      reinterpret_cast<char* const*>(a[3]), static_cast<int>(a[4]));
  if (engine != nullptr && creates_process(number)) return create_process(*engine, number, a, HEDDLE_CALLER);
  if (engine != nullptr && number == SYS_getpid) return ::getpid();
  if (engine != nullptr && number == SYS_gettid) return ::gettid();
  if (engine != nullptr && number == SYS_getrandom)
    return get_random_bytes(reinterpret_cast<void*>(a[0]), static_cast<std::size_t>(a[1]), HEDDLE_CALLER);
  if (engine != nullptr && (number == SYS_clock_gettime || number == SYS_gettimeofday || number == SYS_time))
    record_real_clock();
  return engine::real().syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

pid_t getpid() { return running() != nullptr ? program_pid : static_cast<pid_t>(engine::real().syscall(SYS_getpid)); }
pid_t getppid() {
  return running() != nullptr ? program_pid - 1 : static_cast<pid_t>(engine::real().syscall(SYS_getppid));
}
pid_t gettid() {
  engine::Engine* engine = running();
  if (engine == nullptr) return static_cast<pid_t>(engine::real().syscall(SYS_gettid));
  return thread_id(engine->current());
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
