// The C library's own versions of what abi/ interposes.
#pragma once

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/types.h>
#include <time.h>

#include <cstddef>
#include <cstdio>

namespace heddle::engine {

struct RealFunctions {
  int (*pthread_create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  int (*sched_yield)();
  int (*clock_gettime)(clockid_t, timespec*);
  pid_t (*fork)();
  long (*syscall)(long, ...);
  int (*pthread_mutex_init)(pthread_mutex_t*, const pthread_mutexattr_t*);
  int (*pthread_key_create)(pthread_key_t*, void (*)(void*));
  int (*pthread_key_delete)(pthread_key_t);
  void* (*pthread_getspecific)(pthread_key_t);
  int (*pthread_setspecific)(pthread_key_t, const void*);
  int (*cxa_atexit)(void (*)(void*), void*, void*);
  ssize_t (*read)(int, void*, std::size_t);
  void (*exit)(int);
  int (*fclose)(FILE*);
  int (*sigaction)(int, const struct sigaction*, struct sigaction*);
  void (*ctype_init)();  ///< gives the current thread the character classes of its locale; may be null
};

/// Looked up at the first call.
const RealFunctions& real();

/// Ends the process at once. abi/ interposes _exit(), which ends an execution only.
[[noreturn]] void exit_process(int status);

/// For those that are rarely needed: what a call would reach if it were not interposed.
template <typename Function>
Function next_function(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace heddle::engine
