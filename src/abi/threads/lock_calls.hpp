// Calls on mutexes, reader-writer locks, condition variables, barriers and semaphores: what the entry points of POSIX
// and C11 share. `site` is the place of the call in the program; a call without deadline waits for ever.
//
// Each call checks the life of the object first. An object's own memory tells whether it was initialised or destroyed
// by a call, so that memory which becomes another object needs no notice. Whether the call races with the
// initialisation or the end of the memory's life is a race check (engine::PlainMemory::use_object).
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#include <cstdint>

#include "engine/operations/deadline.hpp"

namespace heddle::abi {

int initialise(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes, std::uint64_t site);
int destroy(pthread_mutex_t* mutex, std::uint64_t site);
int lock(pthread_mutex_t* mutex, std::uint64_t site, engine::Deadline deadline = engine::no_deadline);
int try_lock(pthread_mutex_t* mutex, std::uint64_t site);
/// Locks the mutex until a time on the clock. As in the C library, only a thread that has to wait looks at the time.
int lock_until(pthread_mutex_t* mutex, clockid_t clock, const timespec& time, std::uint64_t site);
int unlock(pthread_mutex_t* mutex, std::uint64_t site);
int make_consistent(pthread_mutex_t* mutex, std::uint64_t site);

int initialise_spinlock(pthread_spinlock_t* lock, std::uint64_t site);
int destroy_spinlock(pthread_spinlock_t* lock, std::uint64_t site);
int lock_spinlock(pthread_spinlock_t* lock, std::uint64_t site);
int try_lock_spinlock(pthread_spinlock_t* lock, std::uint64_t site);
int unlock_spinlock(pthread_spinlock_t* lock, std::uint64_t site);

int initialise(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes, std::uint64_t site);
int destroy(pthread_rwlock_t* lock, std::uint64_t site);
int lock_shared(pthread_rwlock_t* lock, std::uint64_t site, engine::Deadline deadline = engine::no_deadline);
int try_lock_shared(pthread_rwlock_t* lock, std::uint64_t site);
int lock_exclusive(pthread_rwlock_t* lock, std::uint64_t site, engine::Deadline deadline = engine::no_deadline);
int try_lock_exclusive(pthread_rwlock_t* lock, std::uint64_t site);
int unlock(pthread_rwlock_t* lock, std::uint64_t site);

int initialise(pthread_cond_t* condition, const pthread_condattr_t* attributes, std::uint64_t site);
int destroy(pthread_cond_t* condition, std::uint64_t site);
int wait(pthread_cond_t* condition, pthread_mutex_t* mutex, std::uint64_t site,
         engine::Deadline deadline = engine::no_deadline);
int wait_until(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec& time,
               std::uint64_t site);
/// Signals one waiting thread, or all.
int signal(pthread_cond_t* condition, bool all, std::uint64_t site);
/// The clock that timed waits on the condition variable go by.
clockid_t clock_of(const pthread_cond_t* condition);

int initialise(pthread_barrier_t* barrier, unsigned count, std::uint64_t site);
int destroy(pthread_barrier_t* barrier, std::uint64_t site);
int wait(pthread_barrier_t* barrier, std::uint64_t site);

int initialise(sem_t* semaphore, unsigned value, std::uint64_t site);
int destroy(sem_t* semaphore, std::uint64_t site);
int wait(sem_t* semaphore, std::uint64_t site, engine::Deadline deadline = engine::no_deadline);
int try_wait(sem_t* semaphore, std::uint64_t site);
/// EOVERFLOW: the semaphore has its greatest value.
int post(sem_t* semaphore, std::uint64_t site);
int value_of(sem_t* semaphore, std::uint64_t site);

}  // namespace heddle::abi
