// Signals between the threads of the program (engine/processes/signals.hpp): actions, masks, sending and waiting.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "abi/instrumentation/user_memory.hpp"
#include "abi/start/process.hpp"
#include "abi/start/runtime.hpp"
#include "abi/system/child_processes.hpp"
#include "abi/threads/cancellation.hpp"
#include "engine/isolation/real.hpp"

namespace heddle::abi {

namespace {

using engine::Engine;
using engine::ProgramThread;
using engine::SignalSet;

SignalSet set_of(const sigset_t* set) {
  SignalSet bits;
  std::memcpy(&bits, set, sizeof bits);
  return bits;
}
void write_set(sigset_t* to, SignalSet bits) {
  ::sigemptyset(to);
  std::memcpy(to, &bits, sizeof bits);
}

int fail(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

siginfo_t info_of(int number, int code) {
  siginfo_t info{};
  info.si_signo = number;
  info.si_code = code;
  info.si_pid = program_pid;
  info.si_uid = ::getuid();
  return info;
}

bool is_this_process(pid_t process) { return process == program_pid || process == 0 || process == -program_pid; }

ProgramThread* thread_with_id(Engine& engine, pid_t id) {
  for (ProgramThread* thread : engine.threads().threads())
    if (thread->state == ProgramThread::State::alive && id == thread_id(*thread)) return thread;
  return nullptr;
}

int send_to_handle(pthread_t handle, const siginfo_t& info, std::uint64_t site) {
  Engine* engine = running();
  ProgramThread* thread = engine->threads().find(handle);
  if (thread == nullptr) return ESRCH;
  if (const char* end = engine::ThreadTable::end_of_life(*thread)) {
    char message[96];
    std::snprintf(message, sizeof message, "a signal is sent to a thread %s", end);
    engine->findings().report_at(engine::FindingKind::misuse, message, site);
    return ESRCH;
  }
  return engine->signals().send(thread, info, site);
}

int change_mask(int how, const sigset_t* set, sigset_t* old, std::uint64_t site) {
  announce_array(set, sizeof(SignalSet), false, site);
  announce_array(old, sizeof(SignalSet), true, site);
  engine::Signals& signals = running()->signals();
  const SignalSet before = signals.mask();
  SignalSet mask = before;
  if (set != nullptr) {
    switch (how) {
      case SIG_BLOCK: mask |= set_of(set); break;
      case SIG_UNBLOCK: mask &= ~set_of(set); break;
      case SIG_SETMASK: mask = set_of(set); break;
      default: return EINVAL;
    }
  }
  if (old != nullptr) write_set(old, before);
  if (set != nullptr) signals.set_mask(mask, site);
  return 0;
}

int wait_for_signal(const sigset_t* set, siginfo_t* info, engine::Deadline deadline, bool handlers_interrupt,
                    std::uint64_t site) {
  Engine& engine = *running();
  return at_cancellation_point(
      engine, [&] { return engine.signals().wait(set_of(set), info, deadline, handlers_interrupt, site); });
}

int suspend(SignalSet mask, std::uint64_t site) {
  Engine& engine = *running();
  return at_cancellation_point(engine, [&] {
    engine.signals().suspend(mask, site);
    return fail(EINTR);
  });
}

/// A jump may leave handlers of signals. The jump buffer has the stack pointer, which the C library hides.
void leave_handlers_by_jump(const __jmp_buf_tag* buffer) {
  Engine* engine = running();
  if (engine == nullptr) return;
#if defined(__x86_64__)
  std::uint64_t guard;
  asm("movq %%fs:0x30, %0" : "=r"(guard));
  auto stack = static_cast<std::uint64_t>(buffer->__jmpbuf[6]);
  stack = (stack >> 17 | stack << 47) ^ guard;
  engine->signals().leave_handlers(stack, buffer->__mask_was_saved != 0);
#else
  (void)buffer;
#endif
}

using Jump = void (*)(__jmp_buf_tag*, int);
[[noreturn]] void jump(const char* name, __jmp_buf_tag* buffer, int value) {
  leave_handlers_by_jump(buffer);
  engine::next_function<Jump>(name)(buffer, value);
  __builtin_unreachable();
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// ---- actions and masks --------------------------------------------------------------------------------------

int sigaction(int number, const struct sigaction* action, struct sigaction* old) {
  Engine* engine = running();
  if (engine == nullptr) return engine::real().sigaction(number, action, old);
  const bool cannot_change = number == SIGKILL || number == SIGSTOP;
  if (number <= 0 || number > engine::Signals::last_signal || (action != nullptr && cannot_change)) return fail(EINVAL);
  reads_object(action, HEDDLE_CALLER);
  if (old != nullptr) *old = engine->signals().action(number);
  writes_object(old, HEDDLE_CALLER);
  if (action == nullptr) return 0;
  engine->signals().set_action(number, *action);
  engine->timers().wake_services(number);
  set_kernel_action(*engine, number, *action);
  return 0;
}
sighandler_t signal(int number, sighandler_t handler) {
  struct sigaction action {
  }, old{};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}
sighandler_t __sysv_signal(int number, sighandler_t handler) {
  struct sigaction action {
  }, old{};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_NODEFER;
  return sigaction(number, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}
int siginterrupt(int number, int interrupts) {
  struct sigaction action {};
  if (sigaction(number, nullptr, &action) != 0) return -1;
  action.sa_flags = interrupts != 0 ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
  return sigaction(number, &action, nullptr);
}

int sigprocmask(int how, const sigset_t* set, sigset_t* old) {
  if (running() == nullptr)
    return engine::next_function<int (*)(int, const sigset_t*, sigset_t*)>("sigprocmask")(how, set, old);
  return fail(change_mask(how, set, old, HEDDLE_CALLER));
}
int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) {
  if (running() == nullptr)
    return engine::next_function<int (*)(int, const sigset_t*, sigset_t*)>("pthread_sigmask")(how, set, old);
  return change_mask(how, set, old, HEDDLE_CALLER);
}
int sigpending(sigset_t* set) {
  Engine* engine = running();
  if (engine == nullptr) return engine::next_function<int (*)(sigset_t*)>("sigpending")(set);
  write_set(set, engine->signals().pending(HEDDLE_CALLER));
  announce_array(set, sizeof(SignalSet), true, HEDDLE_CALLER);
  return 0;
}

void longjmp(__jmp_buf_tag* buffer, int value) { jump("longjmp", buffer, value); }
void _longjmp(__jmp_buf_tag* buffer, int value) { jump("_longjmp", buffer, value); }
void siglongjmp(__jmp_buf_tag* buffer, int value) { jump("siglongjmp", buffer, value); }
void __longjmp_chk(__jmp_buf_tag* buffer, int value) { jump("__longjmp_chk", buffer, value); }

// ---- sending ------------------------------------------------------------------------------------------------

int pthread_kill(pthread_t thread, int number) {
  if (running() == nullptr) return engine::next_function<int (*)(pthread_t, int)>("pthread_kill")(thread, number);
  return send_to_handle(thread, info_of(number, SI_TKILL), HEDDLE_CALLER);
}
int pthread_sigqueue(pthread_t thread, int number, const sigval value) {
  if (running() == nullptr)
    return engine::next_function<int (*)(pthread_t, int, sigval)>("pthread_sigqueue")(thread, number, value);
  siginfo_t info = info_of(number, SI_QUEUE);
  info.si_value = value;
  return send_to_handle(thread, info, HEDDLE_CALLER);
}
int raise(int number) {
  Engine* engine = running();
  if (engine == nullptr) return engine::next_function<int (*)(int)>("raise")(number);
  return fail(engine->signals().send(&engine->current(), info_of(number, SI_TKILL), HEDDLE_CALLER));
}
int tgkill(pid_t process, pid_t id, int number) {
  Engine* engine = running();
  if (engine == nullptr || !is_this_process(process))
    return static_cast<int>(engine::real().syscall(SYS_tgkill, process, id, number));
  ProgramThread* thread = thread_with_id(*engine, id);
  return fail(thread == nullptr ? ESRCH : engine->signals().send(thread, info_of(number, SI_TKILL), HEDDLE_CALLER));
}
int kill(pid_t process, int number) {
  Engine* engine = running();
  if (engine == nullptr || !is_this_process(process))
    return static_cast<int>(engine::real().syscall(SYS_kill, real_process(process), number));
  return fail(engine->signals().send(nullptr, info_of(number, SI_USER), HEDDLE_CALLER));
}
int killpg(pid_t group, int number) { return kill(group == 0 ? 0 : -group, number); }
int sigqueue(pid_t process, int number, const sigval value) {
  Engine* engine = running();
  if (engine == nullptr || !is_this_process(process))
    return engine::next_function<int (*)(pid_t, int, sigval)>("sigqueue")(process, number, value);
  siginfo_t info = info_of(number, SI_QUEUE);
  info.si_value = value;
  return fail(engine->signals().send(nullptr, info, HEDDLE_CALLER));
}

// ---- waiting ------------------------------------------------------------------------------------------------

int sigwait(const sigset_t* set, int* number) {
  if (running() == nullptr) return engine::next_function<int (*)(const sigset_t*, int*)>("sigwait")(set, number);
  announce_array(set, sizeof(SignalSet), false, HEDDLE_CALLER);
  *number = wait_for_signal(set, nullptr, engine::no_deadline, false, HEDDLE_CALLER);
  writes_object(number, HEDDLE_CALLER);
  return 0;
}
int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  if (running() == nullptr)
    return engine::next_function<int (*)(const sigset_t*, siginfo_t*)>("sigwaitinfo")(set, info);
  announce_array(set, sizeof(SignalSet), false, HEDDLE_CALLER);
  const int number = wait_for_signal(set, info, engine::no_deadline, true, HEDDLE_CALLER);
  if (number > 0) writes_object(info, HEDDLE_CALLER);
  return number > 0 ? number : fail(-number);
}
int sigtimedwait(const sigset_t* set, siginfo_t* info, const timespec* time) {
  Engine* engine = running();
  if (engine == nullptr)
    return engine::next_function<int (*)(const sigset_t*, siginfo_t*, const timespec*)>("sigtimedwait")(set, info,
                                                                                                        time);
  if (time != nullptr && !is_duration(*time)) return fail(EINVAL);
  engine::Deadline deadline = engine::no_deadline;
  if (time != nullptr) deadline = engine->scheduler().time().now() + nanoseconds(*time);
  reads_object(time, HEDDLE_CALLER);
  announce_array(set, sizeof(SignalSet), false, HEDDLE_CALLER);
  const int number = wait_for_signal(set, info, deadline, true, HEDDLE_CALLER);
  if (number > 0) writes_object(info, HEDDLE_CALLER);
  return number > 0 ? number : fail(-number);
}
int sigsuspend(const sigset_t* set) {
  if (running() == nullptr) return engine::next_function<int (*)(const sigset_t*)>("sigsuspend")(set);
  announce_array(set, sizeof(SignalSet), false, HEDDLE_CALLER);
  return suspend(set_of(set), HEDDLE_CALLER);
}
int pause() {
  Engine* engine = running();
  if (engine == nullptr) return static_cast<int>(engine::real().syscall(SYS_pause));
  return suspend(engine->signals().mask(), HEDDLE_CALLER);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
