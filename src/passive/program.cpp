// The passive runtime (announcements.cpp): what else a program that was linked with heddle finds in
// libheddle.so.
#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>
#include <regex.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>

#include "heddle/heddle.h"
#include "heddle/linearizable.h"
#include "heddle/verifier.h"

namespace {

/// The C library has two functions of some names. References of a program that was linked with heddle have no version,
/// so the loader would take the older one, which other libraries do not use. dlsym() finds the newer one.
template <typename Function>
Function* newer(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

#define HEDDLE_NEWER(name) newer<decltype(::name)>(#name)

extern "C" int __cxa_atexit(void (*function)(void*), void* argument, void* library) noexcept;
extern "C" int __cxa_at_quick_exit(void (*function)(void*), void* library) noexcept;

#pragma GCC visibility push(default)
extern "C" {

int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) {
  return HEDDLE_NEWER(pthread_cond_init)(condition, attributes);
}
int pthread_cond_destroy(pthread_cond_t* condition) { return HEDDLE_NEWER(pthread_cond_destroy)(condition); }
int pthread_cond_signal(pthread_cond_t* condition) { return HEDDLE_NEWER(pthread_cond_signal)(condition); }
int pthread_cond_broadcast(pthread_cond_t* condition) { return HEDDLE_NEWER(pthread_cond_broadcast)(condition); }
int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return HEDDLE_NEWER(pthread_cond_wait)(condition, mutex);
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* until) {
  return HEDDLE_NEWER(pthread_cond_timedwait)(condition, mutex, until);
}

int timer_create(clockid_t clock, sigevent* event, timer_t* timer) {
  return HEDDLE_NEWER(timer_create)(clock, event, timer);
}
int timer_delete(timer_t timer) { return HEDDLE_NEWER(timer_delete)(timer); }
int timer_getoverrun(timer_t timer) { return HEDDLE_NEWER(timer_getoverrun)(timer); }
int timer_gettime(timer_t timer, itimerspec* value) { return HEDDLE_NEWER(timer_gettime)(timer, value); }
int timer_settime(timer_t timer, int flags, const itimerspec* value, itimerspec* before) {
  return HEDDLE_NEWER(timer_settime)(timer, flags, value, before);
}

int posix_spawn(pid_t* id, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const arguments[], char* const environment[]) {
  return HEDDLE_NEWER(posix_spawn)(id, path, actions, attributes, arguments, environment);
}
int posix_spawnp(pid_t* id, const char* file, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const arguments[], char* const environment[]) {
  return HEDDLE_NEWER(posix_spawnp)(id, file, actions, attributes, arguments, environment);
}
void quick_exit(int status) {
  HEDDLE_NEWER(quick_exit)(status);
  __builtin_unreachable();
}

char* realpath(const char* path, char* resolved) { return HEDDLE_NEWER(realpath)(path, resolved); }
int regexec(const regex_t* expression, const char* text, std::size_t count, regmatch_t* matches, int flags) {
  return HEDDLE_NEWER(regexec)(expression, text, count, matches, flags);
}
int glob(const char* pattern, int flags, int (*on_error)(const char*, int), glob_t* out) {
  return HEDDLE_NEWER(glob)(pattern, flags, on_error, out);
}
int glob64(const char* pattern, int flags, int (*on_error)(const char*, int), glob64_t* out) {
  return HEDDLE_NEWER(glob64)(pattern, flags, on_error, out);
}
int sched_getaffinity(pid_t id, std::size_t size, cpu_set_t* set) {
  return HEDDLE_NEWER(sched_getaffinity)(id, size, set);
}
int sched_setaffinity(pid_t id, std::size_t size, const cpu_set_t* set) {
  return HEDDLE_NEWER(sched_setaffinity)(id, size, set);
}

// The C library links these two into every program, unless another library has them.
int atexit(void (*function)()) { return __cxa_atexit(reinterpret_cast<void (*)(void*)>(function), nullptr, nullptr); }
int heddle_at_quick_exit(void (*function)()) __asm__("at_quick_exit");
int heddle_at_quick_exit(void (*function)()) {
  return __cxa_at_quick_exit(reinterpret_cast<void (*)(void*)>(function), nullptr);
}

/// Runs the body once.
heddle_result heddle_check(const heddle_options*, void (*body)(void*), void* argument) {
  body(argument);
  heddle_result result{};
  result.status = heddle_passed;
  result.executions = 1;
  result.report = "";
  return result;
}
void heddle_free_result(heddle_result*) {}
void heddle_fail(const char* message) {
  std::fprintf(stderr, "heddle: %s\n", message);
  std::abort();
}

/// No client has threads or calls here.
void heddle_choose_client(const heddle_clients*, heddle_client* chosen) { *chosen = {}; }
void heddle_call_begins(unsigned) {}
void heddle_call_ends(unsigned) {}
int heddle_call_comes_before(unsigned, unsigned) { return 0; }
void heddle_check_calls(const heddle_specification*) {}
void heddle_refuse(const char* what) {
  std::fprintf(stderr, "heddle: %s\n", what);
  std::abort();
}

void __VERIFIER_assume(int condition) {
  if (condition == 0) std::exit(0);
}
void __VERIFIER_assert(int condition) {
  if (condition == 0) std::abort();
}
void __VERIFIER_error() { std::abort(); }
unsigned __VERIFIER_nondet_below(unsigned) { return 0; }
bool __VERIFIER_nondet_bool() { return false; }
char __VERIFIER_nondet_char() { return 0; }
signed char __VERIFIER_nondet_schar() { return 0; }
unsigned char __VERIFIER_nondet_uchar() { return 0; }
short __VERIFIER_nondet_short() { return 0; }
unsigned short __VERIFIER_nondet_ushort() { return 0; }
int __VERIFIER_nondet_int() { return 0; }
unsigned __VERIFIER_nondet_uint() { return 0; }
long __VERIFIER_nondet_long() { return 0; }
unsigned long __VERIFIER_nondet_ulong() { return 0; }
long long __VERIFIER_nondet_longlong() { return 0; }
unsigned long long __VERIFIER_nondet_ulonglong() { return 0; }
std::size_t __VERIFIER_nondet_size_t() { return 0; }

}  // extern "C"
#pragma GCC visibility pop
