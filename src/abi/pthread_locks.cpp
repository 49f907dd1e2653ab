// POSIX mutexes, spinlocks, reader-writer locks, condition variables, barriers and semaphores. The C++ library uses
// these functions too.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>

#include "abi/runtime.hpp"
#include "engine/real.hpp"

namespace heddle::abi {

namespace {

using engine::Engine;
using engine::MutexKind;

MutexKind kind_of(const pthread_mutex_t* mutex) {
  switch (mutex->__data.__kind & 3) {  // glibc stores the kind here, also for static initialisers
    case PTHREAD_MUTEX_RECURSIVE: return MutexKind::recursive;
    case PTHREAD_MUTEX_ERRORCHECK: return MutexKind::error_check;
    default: return MutexKind::normal;
  }
}

/// glibc stores the value of a semaphore in its first 32 bits; sem_init writes it.
std::uint32_t first_value(const sem_t* semaphore) { return *reinterpret_cast<const std::uint32_t*>(semaphore); }

engine::Deadline deadline(clockid_t clock, const timespec* time) { return virtual_deadline(clock, *time); }

int fail(int error) {
  errno = error;
  return -1;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

// ---- mutexes ------------------------------------------------------------------------------------------------

int pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) {
  if (Engine* engine = running()) engine->sync().forget(address_of(mutex));
  return engine::real().pthread_mutex_init(mutex, attributes);
}
int pthread_mutex_destroy(pthread_mutex_t* mutex) {
  if (Engine* engine = running()) engine->sync().forget(address_of(mutex));
  return 0;
}
int pthread_mutex_lock(pthread_mutex_t* mutex) {
  Engine* engine = running_for_program(HEDDLE_CALLER);
  if (engine == nullptr) return 0;
  return engine->sync().lock_mutex(address_of(mutex), kind_of(mutex), HEDDLE_CALLER, engine::no_deadline);
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  Engine* engine = running_for_program(HEDDLE_CALLER);
  return engine == nullptr ? 0 : engine->sync().try_lock_mutex(address_of(mutex), kind_of(mutex), HEDDLE_CALLER);
}
int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* time) {
  Engine* engine = running();
  if (engine == nullptr) return 0;
  return engine->sync().lock_mutex(address_of(mutex), kind_of(mutex), HEDDLE_CALLER, deadline(CLOCK_REALTIME, time));
}
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* time) {
  Engine* engine = running();
  if (engine == nullptr) return 0;
  return engine->sync().lock_mutex(address_of(mutex), kind_of(mutex), HEDDLE_CALLER, deadline(clock, time));
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  Engine* engine = running_for_program(HEDDLE_CALLER);
  return engine == nullptr ? 0 : engine->sync().unlock_mutex(address_of(mutex), kind_of(mutex), HEDDLE_CALLER);
}

// ---- spinlocks, which are treated as mutexes ---------------------------------------------------------------

int pthread_spin_init(pthread_spinlock_t* lock, int) {
  if (Engine* engine = running()) engine->sync().forget(address_of(lock));
  return 0;
}
int pthread_spin_destroy(pthread_spinlock_t* lock) {
  if (Engine* engine = running()) engine->sync().forget(address_of(lock));
  return 0;
}
int pthread_spin_lock(pthread_spinlock_t* lock) {
  Engine* engine = running();
  return engine == nullptr
             ? 0
             : engine->sync().lock_mutex(address_of(lock), MutexKind::normal, HEDDLE_CALLER, engine::no_deadline);
}
int pthread_spin_trylock(pthread_spinlock_t* lock) {
  Engine* engine = running();
  return engine == nullptr ? 0 : engine->sync().try_lock_mutex(address_of(lock), MutexKind::normal, HEDDLE_CALLER);
}
int pthread_spin_unlock(pthread_spinlock_t* lock) {
  Engine* engine = running();
  return engine == nullptr ? 0 : engine->sync().unlock_mutex(address_of(lock), MutexKind::normal, HEDDLE_CALLER);
}

// ---- reader-writer locks ------------------------------------------------------------------------------------

int pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t*) {
  if (Engine* engine = running()) engine->sync().forget(address_of(lock));
  return 0;
}
int pthread_rwlock_destroy(pthread_rwlock_t* lock) {
  if (Engine* engine = running()) engine->sync().forget(address_of(lock));
  return 0;
}
int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  Engine* engine = running();
  return engine == nullptr ? 0 : engine->sync().lock_shared(address_of(lock), HEDDLE_CALLER, engine::no_deadline);
}
int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  Engine* engine = running();
  return engine == nullptr ? 0 : engine->sync().try_lock_shared(address_of(lock), HEDDLE_CALLER);
}
int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* time) {
  Engine* engine = running();
  if (engine == nullptr) return 0;
  return engine->sync().lock_shared(address_of(lock), HEDDLE_CALLER, deadline(CLOCK_REALTIME, time));
}
int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* time) {
  Engine* engine = running();
  return engine == nullptr ? 0 : engine->sync().lock_shared(address_of(lock), HEDDLE_CALLER, deadline(clock, time));
}
int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  Engine* engine = running();
  return engine == nullptr ? 0 : engine->sync().lock_exclusive(address_of(lock), HEDDLE_CALLER, engine::no_deadline);
}
int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  Engine* engine = running();
  return engine == nullptr ? 0 : engine->sync().try_lock_exclusive(address_of(lock), HEDDLE_CALLER);
}
int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* time) {
  Engine* engine = running();
  if (engine == nullptr) return 0;
  return engine->sync().lock_exclusive(address_of(lock), HEDDLE_CALLER, deadline(CLOCK_REALTIME, time));
}
int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* time) {
  Engine* engine = running();
  return engine == nullptr ? 0 : engine->sync().lock_exclusive(address_of(lock), HEDDLE_CALLER, deadline(clock, time));
}
int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  Engine* engine = running();
  return engine == nullptr ? 0 : engine->sync().unlock_rwlock(address_of(lock), HEDDLE_CALLER);
}

// ---- condition variables ------------------------------------------------------------------------------------

int pthread_cond_init(pthread_cond_t* condition, const pthread_condattr_t* attributes) {
  if (Engine* engine = running()) engine->sync().forget(address_of(condition));
  *condition = PTHREAD_COND_INITIALIZER;
  clockid_t clock = CLOCK_REALTIME;
  if (attributes != nullptr) ::pthread_condattr_getclock(attributes, &clock);
  // glibc never uses this object, so its first word can store the clock of timed waits.
  *reinterpret_cast<std::uint32_t*>(condition) = clock == CLOCK_MONOTONIC ? 1 : 0;
  return 0;
}
int pthread_cond_destroy(pthread_cond_t* condition) {
  if (Engine* engine = running()) engine->sync().forget(address_of(condition));
  return 0;
}
int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  Engine* engine = running();
  if (engine == nullptr) return 0;
  return engine->sync().wait_condition(address_of(condition), address_of(mutex), kind_of(mutex), HEDDLE_CALLER,
                                       engine::no_deadline);
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* time) {
  Engine* engine = running();
  if (engine == nullptr) return ETIMEDOUT;
  const clockid_t clock = *reinterpret_cast<std::uint32_t*>(condition) == 1 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  return engine->sync().wait_condition(address_of(condition), address_of(mutex), kind_of(mutex), HEDDLE_CALLER,
                                       deadline(clock, time));
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* time) {
  Engine* engine = running();
  if (engine == nullptr) return ETIMEDOUT;
  return engine->sync().wait_condition(address_of(condition), address_of(mutex), kind_of(mutex), HEDDLE_CALLER,
                                       deadline(clock, time));
}
int pthread_cond_signal(pthread_cond_t* condition) {
  if (Engine* engine = running()) engine->sync().signal_condition(address_of(condition), false, HEDDLE_CALLER);
  return 0;
}
int pthread_cond_broadcast(pthread_cond_t* condition) {
  if (Engine* engine = running()) engine->sync().signal_condition(address_of(condition), true, HEDDLE_CALLER);
  return 0;
}

// ---- barriers -----------------------------------------------------------------------------------------------

int pthread_barrier_init(pthread_barrier_t* barrier, const pthread_barrierattr_t*, unsigned count) {
  if (count == 0) return EINVAL;
  *reinterpret_cast<std::uint32_t*>(barrier) = count;  // read by executions that begin after this call
  if (Engine* engine = running()) engine->sync().initialise_barrier(address_of(barrier));
  return 0;
}
int pthread_barrier_destroy(pthread_barrier_t* barrier) {
  if (Engine* engine = running()) engine->sync().forget(address_of(barrier));
  return 0;
}
int pthread_barrier_wait(pthread_barrier_t* barrier) {
  Engine* engine = running();
  if (engine == nullptr) return PTHREAD_BARRIER_SERIAL_THREAD;
  const auto count = *reinterpret_cast<std::uint32_t*>(barrier);
  return engine->sync().wait_barrier(address_of(barrier), count, HEDDLE_CALLER) ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

// ---- semaphores ---------------------------------------------------------------------------------------------

int sem_init(sem_t* semaphore, int, unsigned value) {
  *reinterpret_cast<std::uint32_t*>(semaphore) = value;
  if (Engine* engine = running()) engine->sync().initialise_semaphore(address_of(semaphore), value);
  return 0;
}
int sem_destroy(sem_t* semaphore) {
  if (Engine* engine = running()) engine->sync().forget(address_of(semaphore));
  return 0;
}
int sem_wait(sem_t* semaphore) {
  Engine* engine = running();
  if (engine == nullptr) return 0;
  return engine->sync().wait_semaphore(address_of(semaphore), first_value(semaphore), HEDDLE_CALLER,
                                       engine::no_deadline);
}
int sem_trywait(sem_t* semaphore) {
  Engine* engine = running();
  if (engine == nullptr) return 0;
  const int error = engine->sync().try_wait_semaphore(address_of(semaphore), first_value(semaphore), HEDDLE_CALLER);
  return error == 0 ? 0 : fail(error);
}
int sem_timedwait(sem_t* semaphore, const timespec* time) {
  Engine* engine = running();
  if (engine == nullptr) return 0;
  const int error = engine->sync().wait_semaphore(address_of(semaphore), first_value(semaphore), HEDDLE_CALLER,
                                                  deadline(CLOCK_REALTIME, time));
  return error == 0 ? 0 : fail(error);
}
int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* time) {
  Engine* engine = running();
  if (engine == nullptr) return 0;
  const int error = engine->sync().wait_semaphore(address_of(semaphore), first_value(semaphore), HEDDLE_CALLER,
                                                  deadline(clock, time));
  return error == 0 ? 0 : fail(error);
}
int sem_post(sem_t* semaphore) {
  if (Engine* engine = running())
    engine->sync().post_semaphore(address_of(semaphore), first_value(semaphore), HEDDLE_CALLER);
  else
    ++*reinterpret_cast<std::uint32_t*>(semaphore);
  return 0;
}
int sem_getvalue(sem_t* semaphore, int* value) {
  Engine* engine = running();
  const std::uint32_t first = first_value(semaphore);
  *value = engine == nullptr
               ? static_cast<int>(first)
               : static_cast<int>(engine->sync().value_of_semaphore(address_of(semaphore), first, HEDDLE_CALLER));
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
