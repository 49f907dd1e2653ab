// POSIX mutexes, spinlocks, reader-writer locks, condition variables, barriers and semaphores, one line an entry point.
// The C++ library uses these functions too.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>

#include "abi/instrumentation/user_memory.hpp"
#include "abi/start/runtime.hpp"
#include "abi/threads/lock_calls.hpp"

namespace heddle::abi {

namespace {

using engine::Deadline;

/// Makes a call with a deadline, unless the deadline is none. The C library checks that whether the call has to wait or
/// not, except for mutexes.
template <typename Call>
int until(clockid_t clock, const timespec* time, Call call) {
  return is_clock_of_waits(clock) && is_time(*time) ? call(Deadline{virtual_deadline(clock, *time)}) : EINVAL;
}

/// Semaphore functions return errors in errno.
int result_of(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

}  // namespace

// entry_thunks.cpp defines the functions that jump here.
extern "C" {
int heddle_pthread_mutex_lock(pthread_mutex_t* mutex) { return lock(mutex, HEDDLE_CALLER); }
int heddle_pthread_spin_lock(pthread_spinlock_t* lock) { return lock_spinlock(lock, HEDDLE_CALLER); }
}

#pragma GCC visibility push(default)
extern "C" {

int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) {
  return initialise(mutex, attributes, HEDDLE_CALLER);
}
int pthread_mutex_destroy(pthread_mutex_t* mutex) { return destroy(mutex, HEDDLE_CALLER); }
int pthread_mutex_trylock(pthread_mutex_t* mutex) { return try_lock(mutex, HEDDLE_CALLER); }
int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) {
  return lock_until(mutex, CLOCK_REALTIME, *time, HEDDLE_CALLER);
}
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* time) {
  return lock_until(mutex, clock, *time, HEDDLE_CALLER);
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) { return unlock(mutex, HEDDLE_CALLER); }
int pthread_mutex_consistent(pthread_mutex_t* mutex) { return make_consistent(mutex, HEDDLE_CALLER); }

int pthread_spin_init(pthread_spinlock_t* lock, int) { return initialise_spinlock(lock, HEDDLE_CALLER); }
int pthread_spin_destroy(pthread_spinlock_t* lock) { return destroy_spinlock(lock, HEDDLE_CALLER); }
int pthread_spin_trylock(pthread_spinlock_t* lock) { return try_lock_spinlock(lock, HEDDLE_CALLER); }
int pthread_spin_unlock(pthread_spinlock_t* lock) { return unlock_spinlock(lock, HEDDLE_CALLER); }

int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) {
  return initialise(lock, attributes, HEDDLE_CALLER);
}
int pthread_rwlock_destroy(pthread_rwlock_t* lock) { return destroy(lock, HEDDLE_CALLER); }
int pthread_rwlock_rdlock(pthread_rwlock_t* lock) { return lock_shared(lock, HEDDLE_CALLER); }
int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) { return try_lock_shared(lock, HEDDLE_CALLER); }
int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* time) {
  const std::uint64_t site = HEDDLE_CALLER;
  return until(CLOCK_REALTIME, time, [&](Deadline deadline) { return lock_shared(lock, site, deadline); });
}
int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* time) {
  const std::uint64_t site = HEDDLE_CALLER;
  return until(clock, time, [&](Deadline deadline) { return lock_shared(lock, site, deadline); });
}
int pthread_rwlock_wrlock(pthread_rwlock_t* lock) { return lock_exclusive(lock, HEDDLE_CALLER); }
int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) { return try_lock_exclusive(lock, HEDDLE_CALLER); }
int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* time) {
  const std::uint64_t site = HEDDLE_CALLER;
  return until(CLOCK_REALTIME, time, [&](Deadline deadline) { return lock_exclusive(lock, site, deadline); });
}
int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* time) {
  const std::uint64_t site = HEDDLE_CALLER;
  return until(clock, time, [&](Deadline deadline) { return lock_exclusive(lock, site, deadline); });
}
int pthread_rwlock_unlock(pthread_rwlock_t* lock) { return unlock(lock, HEDDLE_CALLER); }

int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) {
  return initialise(condition, attributes, HEDDLE_CALLER);
}
int pthread_cond_destroy(pthread_cond_t* condition) { return destroy(condition, HEDDLE_CALLER); }
int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  return wait(condition, mutex, HEDDLE_CALLER);
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* time) {
  return wait_until(condition, mutex, clock_of(condition), *time, HEDDLE_CALLER);
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* time) {
  return wait_until(condition, mutex, clock, *time, HEDDLE_CALLER);
}
int pthread_cond_signal(pthread_cond_t* condition) { return signal(condition, false, HEDDLE_CALLER); }
int pthread_cond_broadcast(pthread_cond_t* condition) { return signal(condition, true, HEDDLE_CALLER); }

int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t*, unsigned count) {
  return initialise(barrier, count, HEDDLE_CALLER);
}
int pthread_barrier_destroy(pthread_barrier_t* barrier) { return destroy(barrier, HEDDLE_CALLER); }
int pthread_barrier_wait(pthread_barrier_t* barrier) { return wait(barrier, HEDDLE_CALLER); }

int sem_init(sem_t* semaphore, int, unsigned value) { return result_of(initialise(semaphore, value, HEDDLE_CALLER)); }
int sem_destroy(sem_t* semaphore) { return result_of(destroy(semaphore, HEDDLE_CALLER)); }
int sem_wait(sem_t* semaphore) { return result_of(wait(semaphore, HEDDLE_CALLER)); }
int sem_trywait(sem_t* semaphore) { return result_of(try_wait(semaphore, HEDDLE_CALLER)); }
int sem_timedwait(sem_t* semaphore, const timespec* time) {
  const std::uint64_t site = HEDDLE_CALLER;
  return result_of(until(CLOCK_REALTIME, time, [&](Deadline deadline) { return wait(semaphore, site, deadline); }));
}
int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* time) {
  const std::uint64_t site = HEDDLE_CALLER;
  return result_of(until(clock, time, [&](Deadline deadline) { return wait(semaphore, site, deadline); }));
}
int sem_post(sem_t* semaphore) { return result_of(post(semaphore, HEDDLE_CALLER)); }
int sem_getvalue(sem_t* semaphore, int* value) {
  *value = value_of(semaphore, HEDDLE_CALLER);
  writes_object(value, HEDDLE_CALLER);
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
