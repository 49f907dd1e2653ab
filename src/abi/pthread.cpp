// POSIX threads. The C++ library's threads, mutexes and condition variables arrive here too.
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <unwind.h>

#include <cerrno>
#include <cstdio>

#include "abi/check.hpp"
#include "abi/once_call.h"
#include "abi/runtime.hpp"
#include "engine/real.hpp"

namespace heddle::abi {

namespace {

using engine::Engine;
using MutexKind = Engine::MutexKind;

MutexKind kind_of(const pthread_mutex_t* mutex) {
  switch (mutex->__data.__kind & 3) {  // as glibc keeps it, also for static initialisers
    case PTHREAD_MUTEX_RECURSIVE: return MutexKind::recursive;
    case PTHREAD_MUTEX_ERRORCHECK: return MutexKind::error_check;
    default: return MutexKind::normal;
  }
}

/// glibc's semaphore keeps its value in the first 32 bits; sem_init writes it there.
std::uint32_t first_value(const sem_t* semaphore) { return *reinterpret_cast<const std::uint32_t*>(semaphore); }

std::optional<std::uint64_t> deadline(clockid_t clock, const timespec* time) { return virtual_deadline(clock, *time); }

int fail(int error) {
  errno = error;
  return -1;
}

/// Unwinds the stack as pthread_exit must, so that destructors run, and ends the thread at the bottom.
_Unwind_Reason_Code end_at_bottom(int, _Unwind_Action actions, _Unwind_Exception_Class, _Unwind_Exception*,
                                  _Unwind_Context*, void* result) {
  if ((actions & _UA_END_OF_STACK) != 0) running()->finish_thread(result);
  return _URC_NO_REASON;
}

void ignore_exception(_Unwind_Reason_Code, _Unwind_Exception*) {}

struct OnceCall {
  Engine* engine;
  pthread_once_t* once;
  std::uint64_t site;
};

void abandon_once(void* data) {
  auto& call = *static_cast<OnceCall*>(data);
  call.engine->finish_once(address_of(call.once), false, call.site);
}

constexpr pthread_once_t once_done = 2;

/// Locks inside the C library and the unwinder are none of the program's: nobody is switched out in there, and the
/// order they happen to impose must not count as synchronisation.
Engine* running_for(std::uint64_t site) {
  Engine* engine = running();
  return engine == nullptr || engine::is_system_code(reinterpret_cast<const void*>(site)) ? nullptr : engine;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// ---- threads ------------------------------------------------------------------------------------------------

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*), void* argument) {
  Engine* engine = running();
  if (engine == nullptr) {
    if (is_main_left_alone()) {
      std::fprintf(stderr,
                   "heddle: a thread is created outside of heddle::check; a program with checks has one thread outside "
                   "of them: put the code into a check, or into a program that is built without heddle\n");
      return EAGAIN;
    }
    if (engine_pointer != nullptr)
      engine_pointer->unsupported(
          "the program creates a thread before main; heddle can only control threads from main on");
    return engine::real().pthread_create(thread, attributes, routine, argument);
  }
  int detach = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) ::pthread_attr_getdetachstate(attributes, &detach);
  return engine->create_thread(*thread, detach == PTHREAD_CREATE_DETACHED, routine, argument, HEDDLE_CALLER);
}

int pthread_join(pthread_t thread, void** result) {
  Engine* engine = running();
  return engine == nullptr ? EINVAL : engine->join_thread(thread, result, HEDDLE_CALLER, std::nullopt, false);
}
int pthread_tryjoin_np(pthread_t thread, void** result) {
  Engine* engine = running();
  return engine == nullptr ? EINVAL : engine->join_thread(thread, result, HEDDLE_CALLER, std::nullopt, true);
}
int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* time) {
  Engine* engine = running();
  if (engine == nullptr) return EINVAL;
  return engine->join_thread(thread, result, HEDDLE_CALLER, deadline(CLOCK_REALTIME, time), false);
}
int pthread_detach(pthread_t thread) {
  Engine* engine = running();
  return engine == nullptr ? EINVAL : engine->detach_thread(thread);
}

// pthread_cleanup_push without exceptions: a jump buffer per handler, innermost last. Whoever is jumped to runs its
// handler and comes back for the next one out.
void __pthread_register_cancel(__pthread_unwind_buf_t* buffer) {
  if (Engine* engine = running()) engine->current().cleanup_buffers.push_back(engine->execution_arena(), buffer);
}
void __pthread_unregister_cancel(__pthread_unwind_buf_t*) {
  Engine* engine = running();
  if (engine != nullptr && !engine->current().cleanup_buffers.empty()) engine->current().cleanup_buffers.pop_back();
}
__attribute__((noreturn)) void __pthread_unwind_next(__pthread_unwind_buf_t*) {
  ::pthread_exit(running()->current().result);
}

__attribute__((noreturn)) void pthread_exit(void* result) {
  Engine* engine = running();
  if (engine == nullptr) __builtin_trap();
  auto& buffers = engine->current().cleanup_buffers;
  if (!buffers.empty()) {
    auto* buffer = static_cast<__jmp_buf_tag*>(buffers.back());
    buffers.pop_back();
    engine->current().result = result;
    ::siglongjmp(buffer, 1);
  }
  auto* exception = static_cast<_Unwind_Exception*>(
      engine->execution_arena().allocate(sizeof(_Unwind_Exception), alignof(_Unwind_Exception)));
  *exception = {};
  exception->exception_cleanup = ignore_exception;
  _Unwind_ForcedUnwind(exception, end_at_bottom, result);
  engine->finish_thread(result);
}

int pthread_cancel(pthread_t) {
  if (engine_pointer != nullptr)
    engine_pointer->unsupported("the program calls pthread_cancel, which heddle does not support");
  return ENOSYS;
}

int sched_yield() {
  Engine* engine = running();
  if (engine == nullptr) return engine::real().sched_yield();
  engine->yield(HEDDLE_CALLER);
  return 0;
}
int pthread_yield() { return sched_yield(); }

// ---- mutexes ------------------------------------------------------------------------------------------------

int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) {
  if (Engine* engine = running()) engine->forget_object(address_of(mutex));
  return engine::real().pthread_mutex_init(mutex, attributes);
}
int pthread_mutex_destroy(pthread_mutex_t* mutex) {
  if (Engine* engine = running()) engine->forget_object(address_of(mutex));
  return 0;
}
int pthread_mutex_lock(pthread_mutex_t* mutex) {
  Engine* engine = running_for(HEDDLE_CALLER);
  if (engine == nullptr) return 0;
  return engine->lock_mutex(address_of(mutex), kind_of(mutex), HEDDLE_CALLER, std::nullopt);
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  Engine* engine = running_for(HEDDLE_CALLER);
  return engine == nullptr ? 0 : engine->try_lock_mutex(address_of(mutex), kind_of(mutex), HEDDLE_CALLER);
}
int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) {
  Engine* engine = running();
  if (engine == nullptr) return 0;
  return engine->lock_mutex(address_of(mutex), kind_of(mutex), HEDDLE_CALLER, deadline(CLOCK_REALTIME, time));
}
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* time) {
  Engine* engine = running();
  if (engine == nullptr) return 0;
  return engine->lock_mutex(address_of(mutex), kind_of(mutex), HEDDLE_CALLER, deadline(clock, time));
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  Engine* engine = running_for(HEDDLE_CALLER);
  return engine == nullptr ? 0 : engine->unlock_mutex(address_of(mutex), kind_of(mutex), HEDDLE_CALLER);
}

// ---- spinlocks: mutexes whose waiters burn time -------------------------------------------------------------

int pthread_spin_init(pthread_spinlock_t* lock, int) {
  if (Engine* engine = running()) engine->forget_object(address_of(lock));
  return 0;
}
int pthread_spin_destroy(pthread_spinlock_t* lock) {
  if (Engine* engine = running()) engine->forget_object(address_of(lock));
  return 0;
}
int pthread_spin_lock(pthread_spinlock_t* lock) {
  Engine* engine = running();
  return engine == nullptr ? 0 : engine->lock_mutex(address_of(lock), MutexKind::normal, HEDDLE_CALLER, std::nullopt);
}
int pthread_spin_trylock(pthread_spinlock_t* lock) {
  Engine* engine = running();
  return engine == nullptr ? 0 : engine->try_lock_mutex(address_of(lock), MutexKind::normal, HEDDLE_CALLER);
}
int pthread_spin_unlock(pthread_spinlock_t* lock) {
  Engine* engine = running();
  return engine == nullptr ? 0 : engine->unlock_mutex(address_of(lock), MutexKind::normal, HEDDLE_CALLER);
}

// ---- reader-writer locks ------------------------------------------------------------------------------------

int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t*) {
  if (Engine* engine = running()) engine->forget_object(address_of(lock));
  return 0;
}
int pthread_rwlock_destroy(pthread_rwlock_t* lock) {
  if (Engine* engine = running()) engine->forget_object(address_of(lock));
  return 0;
}
int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  Engine* engine = running();
  return engine == nullptr ? 0 : engine->lock_shared(address_of(lock), HEDDLE_CALLER, std::nullopt, false);
}
int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  Engine* engine = running();
  return engine == nullptr ? 0 : engine->lock_shared(address_of(lock), HEDDLE_CALLER, std::nullopt, true);
}
int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* time) {
  Engine* engine = running();
  if (engine == nullptr) return 0;
  return engine->lock_shared(address_of(lock), HEDDLE_CALLER, deadline(CLOCK_REALTIME, time), false);
}
int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* time) {
  Engine* engine = running();
  return engine == nullptr ? 0 : engine->lock_shared(address_of(lock), HEDDLE_CALLER, deadline(clock, time), false);
}
int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  Engine* engine = running();
  return engine == nullptr ? 0 : engine->lock_exclusive(address_of(lock), HEDDLE_CALLER, std::nullopt, false);
}
int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  Engine* engine = running();
  return engine == nullptr ? 0 : engine->lock_exclusive(address_of(lock), HEDDLE_CALLER, std::nullopt, true);
}
int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* time) {
  Engine* engine = running();
  if (engine == nullptr) return 0;
  return engine->lock_exclusive(address_of(lock), HEDDLE_CALLER, deadline(CLOCK_REALTIME, time), false);
}
int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* time) {
  Engine* engine = running();
  return engine == nullptr ? 0 : engine->lock_exclusive(address_of(lock), HEDDLE_CALLER, deadline(clock, time), false);
}
int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  Engine* engine = running();
  return engine == nullptr ? 0 : engine->unlock_rwlock(address_of(lock), HEDDLE_CALLER);
}

// ---- condition variables ------------------------------------------------------------------------------------

int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) {
  if (Engine* engine = running()) engine->forget_object(address_of(condition));
  *condition = PTHREAD_COND_INITIALIZER;
  clockid_t clock = CLOCK_REALTIME;
  if (attributes != nullptr) ::pthread_condattr_getclock(attributes, &clock);
  // The object is ours to use: its first word remembers the clock that timed waits go by.
  *reinterpret_cast<std::uint32_t*>(condition) = clock == CLOCK_MONOTONIC ? 1 : 0;
  return 0;
}
int pthread_cond_destroy(pthread_cond_t* condition) {
  if (Engine* engine = running()) engine->forget_object(address_of(condition));
  return 0;
}
int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  Engine* engine = running();
  if (engine == nullptr) return 0;
  return engine->wait_condition(address_of(condition), address_of(mutex), kind_of(mutex), HEDDLE_CALLER, std::nullopt);
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* time) {
  Engine* engine = running();
  if (engine == nullptr) return ETIMEDOUT;
  const clockid_t clock = *reinterpret_cast<std::uint32_t*>(condition) == 1 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  return engine->wait_condition(address_of(condition), address_of(mutex), kind_of(mutex), HEDDLE_CALLER,
                                deadline(clock, time));
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* time) {
  Engine* engine = running();
  if (engine == nullptr) return ETIMEDOUT;
  return engine->wait_condition(address_of(condition), address_of(mutex), kind_of(mutex), HEDDLE_CALLER,
                                deadline(clock, time));
}
int pthread_cond_signal(pthread_cond_t* condition) {
  if (Engine* engine = running()) engine->signal_condition(address_of(condition), false, HEDDLE_CALLER);
  return 0;
}
int pthread_cond_broadcast(pthread_cond_t* condition) {
  if (Engine* engine = running()) engine->signal_condition(address_of(condition), true, HEDDLE_CALLER);
  return 0;
}

// ---- barriers -----------------------------------------------------------------------------------------------

int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t*, unsigned count) {
  if (count == 0) return EINVAL;
  *reinterpret_cast<std::uint32_t*>(barrier) = count;  // for executions that begin after this call
  if (Engine* engine = running()) engine->initialise_barrier(address_of(barrier), count);
  return 0;
}
int pthread_barrier_destroy(pthread_barrier_t* barrier) {
  if (Engine* engine = running()) engine->forget_object(address_of(barrier));
  return 0;
}
int pthread_barrier_wait(pthread_barrier_t* barrier) {
  Engine* engine = running();
  if (engine == nullptr) return PTHREAD_BARRIER_SERIAL_THREAD;
  const auto count = *reinterpret_cast<std::uint32_t*>(barrier);
  return engine->wait_barrier(address_of(barrier), count, HEDDLE_CALLER) ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

// ---- semaphores ---------------------------------------------------------------------------------------------

int sem_init(sem_t* semaphore, int, unsigned value) {
  *reinterpret_cast<std::uint32_t*>(semaphore) = value;
  if (Engine* engine = running()) engine->initialise_semaphore(address_of(semaphore), value);
  return 0;
}
int sem_destroy(sem_t* semaphore) {
  if (Engine* engine = running()) engine->forget_object(address_of(semaphore));
  return 0;
}
int sem_wait(sem_t* semaphore) {
  Engine* engine = running();
  if (engine == nullptr) return 0;
  return engine->wait_semaphore(address_of(semaphore), first_value(semaphore), HEDDLE_CALLER, std::nullopt, false);
}
int sem_trywait(sem_t* semaphore) {
  Engine* engine = running();
  if (engine == nullptr) return 0;
  const int error =
      engine->wait_semaphore(address_of(semaphore), first_value(semaphore), HEDDLE_CALLER, std::nullopt, true);
  return error == 0 ? 0 : fail(error);
}
int sem_timedwait(sem_t* semaphore, const timespec* time) {
  Engine* engine = running();
  if (engine == nullptr) return 0;
  const int error = engine->wait_semaphore(address_of(semaphore), first_value(semaphore), HEDDLE_CALLER,
                                           deadline(CLOCK_REALTIME, time), false);
  return error == 0 ? 0 : fail(error);
}
int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* time) {
  Engine* engine = running();
  if (engine == nullptr) return 0;
  const int error = engine->wait_semaphore(address_of(semaphore), first_value(semaphore), HEDDLE_CALLER,
                                           deadline(clock, time), false);
  return error == 0 ? 0 : fail(error);
}
int sem_post(sem_t* semaphore) {
  if (Engine* engine = running())
    engine->post_semaphore(address_of(semaphore), first_value(semaphore), HEDDLE_CALLER);
  else
    ++*reinterpret_cast<std::uint32_t*>(semaphore);
  return 0;
}
int sem_getvalue(sem_t* semaphore, int* value) {
  Engine* engine = running();
  const std::uint32_t first = first_value(semaphore);
  *value = engine == nullptr ? static_cast<int>(first)
                             : static_cast<int>(engine->semaphore_value(address_of(semaphore), first, HEDDLE_CALLER));
  return 0;
}

// ---- once, keys ---------------------------------------------------------------------------------------------

int pthread_once(pthread_once_t* once, void (*routine)()) {
  Engine* engine = running_for(HEDDLE_CALLER);
  if (engine == nullptr) {
    if (*once == once_done) return 0;
    *once = once_done;
    routine();
    return 0;
  }
  if (*once == once_done && !engine->knows_object(address_of(once))) return 0;  // done before main
  const std::uint64_t site = HEDDLE_CALLER;
  if (!engine->begin_once(address_of(once), site)) return 0;
  OnceCall call{engine, once, site};
  heddle_call_with_cleanup(routine, abandon_once, &call);  // the routine may throw
  *once = once_done;
  engine->finish_once(address_of(once), true, site);
  return 0;
}

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  Engine* engine = running();
  if (engine != nullptr) return engine->create_key(*key, destructor);
  const int error = engine::real().pthread_key_create(key, destructor);
  if (error == 0) engine::remember_early_key(*key, destructor);
  return error;
}
int pthread_key_delete(pthread_key_t key) {
  Engine* engine = running();
  if (engine == nullptr || !Engine::is_own_key(key)) return engine::real().pthread_key_delete(key);
  return engine->delete_key(key);
}
void* pthread_getspecific(pthread_key_t key) {
  Engine* engine = running();
  if (engine == nullptr) return engine::real().pthread_getspecific(key);
  return engine->get_key(key);
}
int pthread_setspecific(pthread_key_t key, const void* value) {
  Engine* engine = running();
  if (engine == nullptr) return engine::real().pthread_setspecific(key, value);
  return engine->set_key(key, value);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
