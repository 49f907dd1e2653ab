#include "abi/system/system_call_watch.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>

#include "abi/start/process.hpp"
#include "base/fast_paths.hpp"
#include "engine/isolation/real.hpp"

namespace heddle::abi {

#if defined(__x86_64__)

namespace {

// From <linux/prctl.h> since Linux 5.11; the installed headers may be older.
constexpr int set_user_dispatch = 59;
constexpr unsigned long dispatch_off = 0, dispatch_on = 1;
constexpr unsigned char allow = 0, block = 1;
constexpr int from_user_dispatch = 2;  // SYS_USER_DISPATCH
constexpr long long length_of_syscall_instruction = 2;
// After a signal, this many executions are not watched: twice as many as the last time, plus one.
constexpr std::uint32_t longest_pause = 1023;
// An execution without a system call reduces the pause by an eighth.
constexpr std::uint32_t forgiveness = 8;

enum class State : std::uint8_t { off, on, not_available };
State state = State::off;
std::uint32_t pause = 0;          // length of the pause after the last signal
std::uint32_t left_of_pause = 0;  // in executions
bool armed = false;               // whether the execution is watched
volatile bool called = false;     // whether it made a system call
volatile unsigned char selector;  // the kernel reads it at every system call

/// The kernel has not made the call. The handler lets this and all later calls pass, and repeats it.
void on_system_call(int signal, siginfo_t* info, void* context) {
  selector = allow;
  if (info->si_code != from_user_dispatch) {  // another filter of the program forbids the call
    ::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  called = true;
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  registers[REG_RIP] -= length_of_syscall_instruction;
  registers[REG_RAX] = info->si_syscall;
}

// Sets the signal handler again each time: the program may have changed it.
void turn_on() {
  selector = allow;
  use_own_signal_stack();
  struct sigaction action {};
  action.sa_sigaction = on_system_call;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  ::sigemptyset(&action.sa_mask);
  sigset_t unblocked;
  ::sigemptyset(&unblocked);
  ::sigaddset(&unblocked, SIGSYS);
  const bool ready = engine::real().sigaction(SIGSYS, &action, nullptr) == 0 &&
                     ::sigprocmask(SIG_UNBLOCK, &unblocked, nullptr) == 0 &&
                     ::prctl(set_user_dispatch, dispatch_on, 0UL, 0UL, &selector) == 0;
  state = ready ? State::on : State::not_available;
}

void turn_off() {
  ::prctl(set_user_dispatch, dispatch_off, 0UL, 0UL, 0UL);
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  engine::real().sigaction(SIGSYS, &action, nullptr);
  state = State::off;
}

}  // namespace

void begin_system_call_watch() {
  armed = false;
  if (!base::fast_paths || state == State::not_available) return;
  if (left_of_pause != 0) {
    --left_of_pause;
    return;
  }
  if (state == State::off) turn_on();
  if (state != State::on) return;
  armed = true;
  called = false;
  selector = block;
}

bool end_system_call_watch() {
  if (!armed) return true;
  selector = allow;
  if (!called) {
    pause -= (pause + forgiveness - 1) / forgiveness;
    return false;
  }
  pause = 2 * pause + 1 < longest_pause ? 2 * pause + 1 : longest_pause;
  left_of_pause = pause;
  turn_off();
  return true;
}

#else  // the kernel does not offer this for the processor

void begin_system_call_watch() {}
bool end_system_call_watch() { return true; }

#endif

}  // namespace heddle::abi
