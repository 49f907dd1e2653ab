// System calls that the program makes with syscall(): futexes, which C++20 atomic waits use, random bytes, and the end
// of the process. All other calls go to the kernel.
#include <linux/futex.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>

#include "abi/process.hpp"
#include "abi/runtime.hpp"
#include "engine/real.hpp"

namespace heddle::abi {

namespace {

engine::Deadline futex_deadline(engine::Engine& engine, long operation, const timespec* time) {
  if (time == nullptr) return engine::no_deadline;
  if ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT)
    return engine.scheduler().now() + nanoseconds(*time);  // a duration, not a time
  return virtual_deadline((operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC, *time);
}

long futex(engine::Engine& engine, std::uintptr_t address, long operation, std::uint32_t value, const timespec* time,
           std::uint64_t site) {
  switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET: {
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
      engine.execution().unsupported("the program uses futex operation %ld, which heddle does not support",
                                     operation & FUTEX_CMD_MASK);
  }
}

void fill_randomly(engine::Engine& engine, void* buffer, std::size_t size) {
  auto* bytes = static_cast<unsigned char*>(buffer);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(engine.dice().next_for_program());
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
  if (engine != nullptr && number == SYS_getpid) return ::getpid();
  if (engine != nullptr && number == SYS_gettid) return ::gettid();
  if (engine != nullptr && number == SYS_getrandom) {
    fill_randomly(*engine, reinterpret_cast<void*>(a[0]), static_cast<std::size_t>(a[1]));
    return a[1];
  }
  return engine::real().syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

ssize_t getrandom(void* buffer, std::size_t size, unsigned) {
  engine::Engine* engine = running();
  if (engine == nullptr) return engine::real().syscall(SYS_getrandom, buffer, size, 0);
  fill_randomly(*engine, buffer, size);
  return static_cast<ssize_t>(size);
}
int getentropy(void* buffer, std::size_t size) { return getrandom(buffer, size, 0) < 0 ? -1 : 0; }

// The state of the C library's generators is not part of the snapshot. These generators restart in every execution.
int rand() {
  engine::Engine* engine = running();
  if (engine == nullptr) return engine::next_function<int (*)()>("rand")();
  return static_cast<int>(engine->dice().next_for_program() & RAND_MAX);
}
long random() { return rand(); }
void srand(unsigned seed) {
  if (engine::Engine* engine = running())
    engine->dice().seed_programs(seed);
  else
    engine::next_function<void (*)(unsigned)>("srand")(seed);
}
void srandom(unsigned seed) { srand(seed); }

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

// std::random_device would ask the processor or the system. It gets numbers that the seed of the execution determines.
namespace heddle::abi {
namespace {
unsigned random_device_value() {
  engine::Engine* engine = running();
  return engine == nullptr ? 1U : static_cast<unsigned>(engine->dice().next_for_program());
}
}  // namespace
#pragma GCC visibility push(default)
extern "C" {
// std::random_device::_M_getval() and _M_init(const std::string&), under their mangled names: defining the class would
// need the C++ library.
unsigned _ZNSt13random_device9_M_getvalEv(void*) { return random_device_value(); }
void _ZNSt13random_device7_M_initERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void*, const void*) {}
void _ZNSt13random_device7_M_finiEv(void*) {}
}
#pragma GCC visibility pop
}  // namespace heddle::abi
