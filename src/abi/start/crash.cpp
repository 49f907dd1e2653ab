// Crashes, failed assertions and uncaught exceptions. Each is a finding and ends the execution, but not the worker.
#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "abi/start/check.hpp"
#include "abi/start/preemption.hpp"
#include "abi/start/process.hpp"
#include "abi/start/runtime.hpp"
#include "abi/start/watchdog.hpp"
#include "abi/system/interrupted_call.hpp"
#include "base/hash.hpp"
#include "engine/isolation/child_process.hpp"
#include "engine/isolation/real.hpp"

namespace heddle::abi {

namespace {

using engine::FindingKind;
using engine::LimitKind;
using strategies::Outcome;

using TerminateHandler = void (*)();
TerminateHandler library_terminate_handler = nullptr;
bool terminating = false;

// What the execution has changed. Bit i of the first: the kernel's action for signal i.
std::uint64_t changed_actions = 0;
bool changed_stack = false;

std::uint64_t program_counter(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uint64_t>(machine.gregs[REG_RIP]);
#else
  return machine.pc;
#endif
}

const char* signal_name(int signal) {
  switch (signal) {
    case SIGSEGV: return "segmentation fault";
    case SIGBUS: return "bus error";
    case SIGFPE: return "arithmetic error";
    case SIGILL: return "illegal instruction";
    case SIGTRAP: return "trap";
    case SIGABRT: return "abort";
    default: return "signal";
  }
}

/// The program's code that the signal interrupted. Inside the runtime, this is the program's last visible operation.
std::uint64_t place_of_crash(engine::Engine& engine, const void* context) {
  const std::uint64_t pc = program_counter(context);
  const engine::Module* module = engine.modules().find(pc);
  return module == nullptr || module->role == engine::ModuleRole::program ? pc : engine.current().site;
}

void on_crash(int signal, siginfo_t* info, void* context) {
  if (signal == SIGSEGV && engine_pointer != nullptr && engine_pointer->noticed_write(address_of(info->si_addr)))
    return;
  engine::Engine* engine = running();
  if (engine == nullptr) {  // outside of the program: take the default action
    ::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  const std::uint64_t site = place_of_crash(*engine, context);
  const std::uintptr_t address = address_of(info->si_addr);
  char message[128];
  if (signal == SIGSEGV && engine->threads().with_guard(address) != nullptr) {
    engine->findings().report_at(
        FindingKind::stack_overflow, "the stack of the thread is full", 0,
        engine->modules().canonical(address_of(reinterpret_cast<void*>(engine->current().routine))));
  } else if (signal == SIGSEGV || signal == SIGBUS) {
    std::snprintf(message, sizeof message, "%s: access to %s", signal_name(signal),
                  address < 4096 ? "a null pointer" : "memory that is not there");
    engine->findings().report_at(FindingKind::crash, message, site, static_cast<std::uint64_t>(signal));
  } else {
    engine->findings().report_at(FindingKind::crash, signal_name(signal), site, static_cast<std::uint64_t>(signal));
  }
  engine->scheduler().end_with_crash();
}

/// What the thread did until the watchdog's patience had run out.
void describe_silence(char* text, std::size_t size, const void* context) {
  const char* const limit = is_main_left_alone() ? "the check's timeout" : "--timeout";
  const std::optional<InterruptedCall> call = interrupted_call(context);
  if (!call) {
    std::snprintf(text, size, "the thread ran until %s without a visible operation", limit);
    return;
  }
  char where[64] = "for the kernel";
  if (call->number) {
    const char* const known = name_of_system_call(*call->number);
    if (known != nullptr)
      std::snprintf(where, sizeof where, "in the system call %s", known);
    else
      std::snprintf(where, sizeof where, "in the system call number %ld", *call->number);
  }
  std::snprintf(text, size, "the thread waited until %s %s, which heddle does not control", limit, where);
}

/// Handles the signal of a watchdog: the driver's sends it after --timeout without a visible operation, the one of
/// heddle::check sends it regularly to look for progress.
void on_watchdog(int, siginfo_t* info, void* context) {
  if (is_preemption(*info)) return preempt_if_waiting(context);
  if (engine::forward_to_child(SIGXCPU)) return;
  const bool may_wait = !finds_interrupted_calls || interrupted_call(context).has_value();
  if (!engine::Engine::is_in_execution() || !Watchdog::has_waited_long_enough(may_wait)) return;
  engine::Engine* engine = running();
  if (engine->in_critical_section()) return;  // the watchdog sends the signal again
  const std::uint64_t pc = program_counter(context);
  const engine::Module* module = engine->modules().find(pc);
  const bool in_program = module != nullptr && module->role == engine::ModuleRole::program;
  char message[160];
  describe_silence(message, sizeof message, context);
  engine->findings().report_timeout(is_main_left_alone() ? LimitKind::check_timeout : LimitKind::timeout, message,
                                    in_program ? pc : engine->current().site);
  engine->execution().set_timed_out();
  engine->execution().end(Outcome::cut_off);
}

constexpr int taken_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGXCPU};
constexpr int signal_end = 64;
struct sigaction former_actions[signal_end];
sigset_t former_mask;
stack_t former_stack;
char signal_stack[64 * 1024];

void take_signal(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;  // handlers leave by a jump, not by returning
  if (signal == SIGXCPU) action.sa_flags |= SA_RESTART;    // this handler usually returns
  ::sigemptyset(&action.sa_mask);
  engine::real().sigaction(signal, &action, nullptr);
}

/// A batch system sends these to every process of a job, also to workers. The driver gets them, too, and decides what
/// follows. A heddle::check has no driver.
bool is_left_to_driver(int number) {
  return (number == SIGTERM || number == SIGINT || number == SIGHUP) && !is_main_left_alone();
}

void leave_to_driver(int number) {
  struct sigaction action {};
  action.sa_handler = [](int) {};  // not SIG_IGN, which programs that the program starts would inherit
  action.sa_flags = SA_RESTART;
  engine::real().sigaction(number, &action, nullptr);
}

void take_signals() {
  for (int signal : taken_signals) take_signal(signal, signal == SIGXCPU ? on_watchdog : on_crash);
  for (int signal : {SIGTERM, SIGINT, SIGHUP})
    if (is_left_to_driver(signal) && former_actions[signal].sa_handler == SIG_DFL) leave_to_driver(signal);
}

bool is_taken(int number) {
  for (int signal : taken_signals)
    if (signal == number) return true;
  return false;
}

void set_mask(const sigset_t* mask, sigset_t* old) {
  engine::real().syscall(SYS_rt_sigprocmask, SIG_SETMASK, mask, old, signal_end / 8);
}

/// Keeps a signal that another process has sent for the program's next scheduling point.
void on_outside_signal(int number) {
  if (engine_pointer != nullptr) engine_pointer->signals().add_outside(number);
}

/// Faults are the only signals of the program that the kernel delivers.
bool is_fault(int number) { return is_taken(number) && number != SIGXCPU && number != SIGABRT; }

void describe_exception(char* text, std::size_t size) {
  std::snprintf(text, size, "an exception was not caught");
  using CurrentType = void* (*)();
  using Demangle = char* (*)(const char*, char*, std::size_t*, int*);
  const auto current_type = reinterpret_cast<CurrentType>(::dlsym(RTLD_DEFAULT, "__cxa_current_exception_type"));
  const auto demangle = reinterpret_cast<Demangle>(::dlsym(RTLD_DEFAULT, "__cxa_demangle"));
  if (current_type == nullptr || demangle == nullptr || current_type() == nullptr) return;
  const char* mangled =
      static_cast<const char* const*>(current_type())[1];  // std::type_info has a virtual table pointer, then the name
  if (*mangled == '*') ++mangled;
  int status = 0;
  const char* name = demangle(mangled, nullptr, nullptr, &status);
  std::snprintf(text, size, "an exception of type %s was not caught", status == 0 ? name : mangled);
}

void on_terminate() {
  if (engine::Engine* engine = running()) {
    char message[256];
    describe_exception(message, sizeof message);
    terminating = true;
    engine->findings().report_at(FindingKind::uncaught_exception, message, engine->current().site,
                                 base::hash_text(message));
    // The library's handler prints what() into the captured output before it aborts.
    if (library_terminate_handler != nullptr) library_terminate_handler();
    engine->scheduler().end_with_finding();
  }
  std::abort();
}

}  // namespace

namespace {
using SetTerminate = TerminateHandler (*)(TerminateHandler);
SetTerminate terminate_setter() {
  return reinterpret_cast<SetTerminate>(::dlsym(RTLD_DEFAULT, "_ZSt13set_terminatePFvvE"));
}
}  // namespace

void use_own_signal_stack() {
  stack_t alternate{};
  alternate.ss_sp = signal_stack;
  alternate.ss_size = sizeof signal_stack;
  ::sigaltstack(&alternate, nullptr);
}

namespace {
void tell_engine_of_signals() {
  engine::Signals& signals = engine_pointer->signals();
  for (int number = 1; number < signal_end; ++number) signals.set_first_action(number, former_actions[number]);
  std::uint64_t mask;
  std::memcpy(&mask, &former_mask, sizeof mask);
  signals.set_first_mask(mask);
}
}  // namespace

void set_kernel_action(engine::Engine& engine, int number, const struct sigaction& action) {
  if (number == SIGXCPU || number == SIGSYS || number >= signal_end) return;
  const bool has_handler = action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
  changed_actions |= std::uint64_t{1} << number;
  if (number == SIGSEGV) engine.stop_watching_memory();
  if (is_taken(number)) {
    if (has_handler && is_fault(number))
      engine::real().sigaction(number, &action, nullptr);
    else
      take_signal(number, on_crash);
    return;
  }
  if (action.sa_handler == SIG_DFL && is_left_to_driver(number)) return leave_to_driver(number);
  struct sigaction kernels = action;
  if (has_handler) {
    kernels.sa_handler = on_outside_signal;
    kernels.sa_flags = (action.sa_flags & (SA_NOCLDSTOP | SA_NOCLDWAIT)) | SA_RESTART;
  }
  engine::real().sigaction(number, &kernels, nullptr);
}

void catch_crashes() {
  ::sigaltstack(nullptr, &former_stack);
  use_own_signal_stack();
  for (int signal = 1; signal < signal_end; ++signal)
    engine::real().sigaction(signal, nullptr, &former_actions[signal]);
  set_mask(nullptr, &former_mask);
  tell_engine_of_signals();
  take_signals();
  if (const auto set_terminate = terminate_setter()) library_terminate_handler = set_terminate(on_terminate);
}

void release_crashes() {
  for (int signal : taken_signals) engine::real().sigaction(signal, &former_actions[signal], nullptr);
  ::sigaltstack(&former_stack, nullptr);
  if (const auto set_terminate = terminate_setter()) set_terminate(library_terminate_handler);
}

void restore_signals() {
  for (int signal = 1; changed_actions != 0 && signal < signal_end; ++signal)
    if ((changed_actions >> signal & 1) != 0 && !is_taken(signal))
      engine::real().sigaction(signal, &former_actions[signal], nullptr);
  if (changed_actions != 0) take_signals();
  if (changed_stack) use_own_signal_stack();
  changed_actions = 0;
  changed_stack = false;
}

#pragma GCC visibility push(default)
extern "C" {

int sigaltstack(const stack_t* stack, stack_t* old) {
  if (stack != nullptr && running() != nullptr) changed_stack = true;
  return engine::next_function<int (*)(const stack_t*, stack_t*)>("sigaltstack")(stack, old);
}
__attribute__((noreturn)) void abort() {
  if (engine::Engine* engine = running()) {
    if (!terminating) engine->findings().report_at(FindingKind::crash, "the program called abort()", HEDDLE_CALLER);
    terminating = false;
    engine->scheduler().end_with_finding();
  }
  ::signal(SIGABRT, SIG_DFL);
  ::raise(SIGABRT);
  engine::exit_process(134);
}

__attribute__((noreturn)) void __assert_fail(const char* expression, const char* file, unsigned line,
                                             const char* function) {
  const std::uint64_t site = HEDDLE_CALLER;
  if (engine::Engine* engine = running()) {
    engine->findings().report_failed_assertion(expression, site, base::hash_text(expression));
    engine->scheduler().end_with_finding();
  }
  std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function == nullptr ? "" : function,
               expression);
  abort();
}
__attribute__((noreturn)) void __assert(const char* expression, const char* file, int line) {
  __assert_fail(expression, file, static_cast<unsigned>(line), nullptr);
}
__attribute__((noreturn)) void __assert_perror_fail(int error, const char* file, unsigned line, const char* function) {
  __assert_fail(::strerror(error), file, line, function);
}
__attribute__((noreturn)) void __stack_chk_fail() {
  if (engine::Engine* engine = running()) {
    engine->findings().report_at(FindingKind::crash, "the stack was smashed: a local array was written beyond its end",
                                 HEDDLE_CALLER);
    engine->scheduler().end_with_finding();
  }
  abort();
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
