// C11 threads.h. glibc's versions call its POSIX threads directly, past any interposition, so heddle interposes these
// functions too. Objects and handles are those of the POSIX functions.
#include <pthread.h>
#include <threads.h>

#include <cerrno>

#include "abi/start/runtime.hpp"
#include "abi/threads/lock_calls.hpp"
#include "engine/isolation/real.hpp"

namespace heddle::abi {

namespace {

int result_of(int error) {
  switch (error) {
    case 0: return thrd_success;
    case EBUSY: return thrd_busy;
    case ETIMEDOUT: return thrd_timedout;
    case ENOMEM: return thrd_nomem;
    default: return thrd_error;
  }
}

pthread_mutex_t* posix(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* posix(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }

}  // namespace

// entry_thunks.cpp defines mtx_lock, which jumps here.
extern "C" int heddle_mtx_lock(mtx_t* mutex) { return result_of(lock(posix(mutex), HEDDLE_CALLER)); }

#pragma GCC visibility push(default)
extern "C" {

int thrd_create(thrd_t* thread, thrd_start_t routine, void* argument) {
  // x86-64 and AArch64 return an int in the register that returns a pointer.
  return result_of(::pthread_create(thread, nullptr,
                                    reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void*>(routine)), argument));
}
int thrd_join(thrd_t thread, int* result) {
  void* value = nullptr;
  const int error = ::pthread_join(thread, &value);
  if (error == 0 && result != nullptr) *result = static_cast<int>(reinterpret_cast<std::uintptr_t>(value));
  return result_of(error);
}
int thrd_detach(thrd_t thread) { return result_of(::pthread_detach(thread)); }
__attribute__((noreturn)) void thrd_exit(int result) {
  ::pthread_exit(reinterpret_cast<void*>(static_cast<std::intptr_t>(result)));
}
void thrd_yield() { ::sched_yield(); }
int thrd_sleep(const timespec* time, timespec* remaining) {
  if (::nanosleep(time, remaining) == 0) return 0;
  return errno == EINTR ? -1 : -2;  // C11: -1 is for a signal alone
}

int mtx_init(mtx_t* mutex, int type) {
  pthread_mutexattr_t attributes;
  ::pthread_mutexattr_init(&attributes);
  ::pthread_mutexattr_settype(&attributes,
                              (type & mtx_recursive) != 0 ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
  const int error = initialise(posix(mutex), &attributes, HEDDLE_CALLER);
  ::pthread_mutexattr_destroy(&attributes);
  return result_of(error);
}
void mtx_destroy(mtx_t* mutex) { destroy(posix(mutex), HEDDLE_CALLER); }
int mtx_trylock(mtx_t* mutex) { return result_of(try_lock(posix(mutex), HEDDLE_CALLER)); }
int mtx_timedlock(mtx_t* mutex, const timespec* time) {
  return result_of(lock_until(posix(mutex), CLOCK_REALTIME, *time, HEDDLE_CALLER));
}
int mtx_unlock(mtx_t* mutex) { return result_of(unlock(posix(mutex), HEDDLE_CALLER)); }

int cnd_init(cnd_t* condition) { return result_of(initialise(posix(condition), nullptr, HEDDLE_CALLER)); }
void cnd_destroy(cnd_t* condition) { destroy(posix(condition), HEDDLE_CALLER); }
int cnd_wait(cnd_t* condition, mtx_t* mutex) { return result_of(wait(posix(condition), posix(mutex), HEDDLE_CALLER)); }
int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* time) {
  return result_of(wait_until(posix(condition), posix(mutex), CLOCK_REALTIME, *time, HEDDLE_CALLER));
}
int cnd_signal(cnd_t* condition) { return result_of(signal(posix(condition), false, HEDDLE_CALLER)); }
int cnd_broadcast(cnd_t* condition) { return result_of(signal(posix(condition), true, HEDDLE_CALLER)); }

void call_once(once_flag* flag, void (*routine)()) { ::pthread_once(reinterpret_cast<pthread_once_t*>(flag), routine); }
int tss_create(tss_t* key, tss_dtor_t destructor) { return result_of(::pthread_key_create(key, destructor)); }
void tss_delete(tss_t key) { ::pthread_key_delete(key); }
void* tss_get(tss_t key) { return ::pthread_getspecific(key); }
int tss_set(tss_t key, void* value) { return result_of(::pthread_setspecific(key, value)); }

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
