// Longer than most files: the entry points of all kinds of locks, which share the checks of the life of an object.
#include "abi/threads/lock_calls.hpp"

#include <cerrno>
#include <cstdio>

#include "abi/start/runtime.hpp"
#include "abi/threads/cancellation.hpp"
#include "engine/isolation/real.hpp"

namespace heddle::abi {

namespace {

using engine::Deadline;
using engine::Engine;
using engine::MutexKind;
using engine::MutexType;
using engine::RwlockKind;

// ---- the life of objects ------------------------------------------------------------------------------------

/// The word of an object that tells of its life. Static initialisers set it to 0. glibc never uses the objects itself.
using Life = std::uint32_t;
constexpr Life initialised = 0x6c697665, destroyed = 0x64656164;

template <typename Object>
std::uint32_t* words(Object* object) {
  return reinterpret_cast<std::uint32_t*>(object);
}
Life& life_of(pthread_mutex_t* mutex) { return mutex->__data.__nusers; }
Life& life_of(pthread_rwlock_t* lock) { return words(lock)[0]; }
Life& life_of(pthread_cond_t* condition) { return words(condition)[1]; }
Life& life_of(pthread_barrier_t* barrier) { return words(barrier)[1]; }
Life& life_of(sem_t* semaphore) { return words(semaphore)[1]; }

constexpr const char* name_of(const pthread_mutex_t*) { return "mutex"; }
constexpr const char* name_of(const pthread_rwlock_t*) { return "reader-writer lock"; }
constexpr const char* name_of(const pthread_cond_t*) { return "condition variable"; }
constexpr const char* name_of(const pthread_barrier_t*) { return "barrier"; }
constexpr const char* name_of(const sem_t*) { return "semaphore"; }

/// Reports a misuse; `what` follows "a mutex is ".
template <typename Object>
[[gnu::cold, gnu::noinline]] void report(Engine& engine, const Object* object, const char* what, std::uint64_t site) {
  char message[128];
  std::snprintf(message, sizeof message, "a %s is %s", name_of(object), what);
  engine.findings().report_misuse(message, address_of(object), site);
}

template <typename Object>
[[gnu::cold, gnu::noinline]] void report_unsafe(Engine& engine, const Object* object, std::uint64_t site) {
  char what[64];
  std::snprintf(what, sizeof what, "a function on a %s", name_of(object));
  engine.signals().check_call(what, site);
}

/// What other threads do with the object after that is undefined, so a search does not explore it.
template <typename Object>
[[gnu::cold, gnu::noinline]] void report_in_use(Engine& engine, const Object* object, const char* what,
                                                std::uint64_t site) {
  report(engine, object, what, site);
  engine.findings().withhold_proof(channel::ProofGap::misuse);
}

/// The engine, after the checks of an operation on an object that is alive. POSIX allows only sem_post in handlers of
/// signals.
template <typename Object>
Engine& checked(Engine& engine, Object* object, const char* what, std::uint64_t site,
                bool is_safe_in_handlers = false) {
  if (!is_safe_in_handlers && engine.current().asynchronous_handlers != 0) [[unlikely]]
    report_unsafe(engine, object, site);
  if (life_of(object) == destroyed) [[unlikely]]
    report(engine, object, what, site);
  engine.plain().use_object(address_of(object), site);
  return engine;
}

/// Memory on a stack or on the heap may become another object of the kind, without a call that ends the first one.
bool lasts(Engine& engine, std::uintptr_t address) {
  for (const engine::ProgramThread* thread : engine.threads().threads())
    if (thread->fiber.stack().contains(address)) return false;
  return engine.heap().find_block(address).size == 0 && engine.modules().program_holds(address);
}

/// Initialising and destroying an object counts as a plain write to it.
void write_first_byte(Engine& engine, std::uintptr_t address, std::uint64_t site) {
  if (engine.modules().is_instrumented_code(site)) engine.plain().access(address, 1, true, site);
}

template <typename Object>
void begin_life(Object* object, std::uint64_t site) {
  Engine* engine = running();
  if (engine != nullptr) {
    const std::uintptr_t address = address_of(object);
    if (engine->sync().is_in_use(address))
      report_in_use(*engine, object, "initialised again while it is in use", site);
    else if (life_of(object) == initialised && lasts(*engine, address))
      report(*engine, object, "initialised again without being destroyed before", site);
    write_first_byte(*engine, address, site);
    engine->sync().forget(address);
  }
}

/// 0, or EBUSY if the object is in use and stays alive.
template <typename Object>
int end_life(Object* object, std::uint64_t site) {
  if (Engine* engine = running()) {
    const std::uintptr_t address = address_of(object);
    if (life_of(object) == destroyed) report(*engine, object, "destroyed for a second time", site);
    if (engine->sync().is_in_use(address)) {
      report_in_use(*engine, object, "destroyed while it is in use", site);
      return EBUSY;
    }
    write_first_byte(*engine, address, site);
    engine->sync().forget(address);
  }
  life_of(object) = destroyed;
  return 0;
}

// ---- what the objects' memory says --------------------------------------------------------------------------

/// glibc stores a mutex's type here, also in static initialisers.
MutexType type_of(const pthread_mutex_t* mutex) {
  constexpr int robust = 16;
  const bool is_robust = (mutex->__data.__kind & robust) != 0;
  switch (mutex->__data.__kind & 3) {
    case PTHREAD_MUTEX_RECURSIVE: return {MutexKind::recursive, is_robust};
    case PTHREAD_MUTEX_ERRORCHECK: return {MutexKind::error_check, is_robust};
    default: return {MutexKind::normal, is_robust};
  }
}

/// glibc stores a reader-writer lock's kind here, also in static initialisers. It treats
/// PTHREAD_RWLOCK_PREFER_WRITER_NP like the default: a thread may share a lock again that it shares, so it must not
/// wait for a writer.
RwlockKind kind_of(const pthread_rwlock_t* lock) {
  return lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP ? RwlockKind::prefers_writers
                                                                              : RwlockKind::prefers_readers;
}

/// Before main there is one thread, and locks are not followed. Only whether the mutex is held is noted, for main.
bool is_held_since_before_main(Engine& engine, const pthread_mutex_t* mutex) {
  return mutex->__data.__owner != 0 && !engine.sync().knows(address_of(mutex));
}

std::uint32_t& count_of(pthread_barrier_t* barrier) { return words(barrier)[0]; }
std::uint32_t& first_value(sem_t* semaphore) { return words(semaphore)[0]; }

/// How often the lock was taken before main, or is held exclusively: the word is 0 in static initialisers, too.
std::uint32_t& holders_before_main(pthread_rwlock_t* lock) { return words(lock)[1]; }
bool is_held_since_before_main(Engine& engine, pthread_rwlock_t* lock) {
  return holders_before_main(lock) != 0 && !engine.sync().knows(address_of(lock));
}
/// A spinlock that was taken before main is not 0.
bool is_held_since_before_main(Engine& engine, const pthread_spinlock_t* lock) {
  return *lock != 0 && !engine.sync().knows(address_of(lock));
}

constexpr const char* used = "used after it was destroyed";
constexpr const char* owned = "locked by a thread that holds it exclusively";
constexpr const char* not_held = "unlocked by a thread that does not hold it";

}  // namespace

// ---- mutexes ------------------------------------------------------------------------------------------------

int initialise(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes, std::uint64_t site) {
  begin_life(mutex, site);
  const int error = engine::real().pthread_mutex_init(mutex, attributes);
  if (error == 0) life_of(mutex) = initialised;
  return error;
}
int destroy(pthread_mutex_t* mutex, std::uint64_t site) { return end_life(mutex, site); }

int lock(pthread_mutex_t* mutex, std::uint64_t site, Deadline deadline) {
  Engine* engine = running_for_program(site);
  if (engine != nullptr)
    return checked(*engine, mutex, used, site).sync().lock_mutex(address_of(mutex), type_of(mutex), site, deadline);
  if (running() == nullptr) mutex->__data.__owner = 1;
  return 0;
}
int try_lock(pthread_mutex_t* mutex, std::uint64_t site) {
  Engine* engine = running_for_program(site);
  if (engine != nullptr)
    return checked(*engine, mutex, used, site).sync().try_lock_mutex(address_of(mutex), type_of(mutex), site);
  if (running() == nullptr) mutex->__data.__owner = 1;
  return 0;
}
int lock_until(pthread_mutex_t* mutex, clockid_t clock, const timespec& time, std::uint64_t site) {
  if (!is_clock_of_waits(clock)) return EINVAL;
  if (is_time(time)) return lock(mutex, site, virtual_deadline(clock, time));
  const int error = try_lock(mutex, site);
  return error == EBUSY ? EINVAL : error;
}
int unlock(pthread_mutex_t* mutex, std::uint64_t site) {
  Engine* engine = running_for_program(site);
  if (engine == nullptr) {
    if (running() == nullptr) mutex->__data.__owner = 0;
    return 0;
  }
  const MutexType type = type_of(mutex);
  const bool was_held = is_held_since_before_main(*engine, mutex);
  const int error = checked(*engine, mutex, used, site).sync().unlock_mutex(address_of(mutex), type, site);
  if (error != EPERM || type.kind != MutexKind::normal || type.is_robust) return error;
  if (!was_held) report(*engine, mutex, not_held, site);
  return 0;
}
int make_consistent(pthread_mutex_t* mutex, std::uint64_t site) {
  Engine* engine = running();
  if (engine == nullptr || !type_of(mutex).is_robust) return EINVAL;
  return checked(*engine, mutex, used, site).sync().mend_mutex(address_of(mutex), site);
}

// ---- spinlocks, which are treated as mutexes ----------------------------------------------------------------

namespace {

void use_spinlock(Engine& engine, pthread_spinlock_t* lock, std::uint64_t site) {
  engine.signals().check_call("a function on a spinlock", site);
  engine.plain().use_object(address_of(lock), site);
}

}  // namespace

// A spinlock is too small to tell about its life.
int initialise_spinlock(pthread_spinlock_t* lock, std::uint64_t site) {
  *lock = 0;
  if (Engine* engine = running()) {
    write_first_byte(*engine, address_of(lock), site);
    engine->sync().forget(address_of(lock));
  }
  return 0;
}
int destroy_spinlock(pthread_spinlock_t* lock, std::uint64_t site) {
  Engine* engine = running();
  if (engine == nullptr) return 0;
  if (engine->sync().is_in_use(address_of(lock))) {
    engine->findings().report_misuse("a spinlock is destroyed while it is in use", address_of(lock), site);
    engine->findings().withhold_proof(channel::ProofGap::misuse);
  }
  write_first_byte(*engine, address_of(lock), site);
  engine->sync().forget(address_of(lock));
  return 0;
}
int lock_spinlock(pthread_spinlock_t* lock, std::uint64_t site) {
  Engine* engine = running();
  if (engine == nullptr) {
    *lock = 1;
    return 0;
  }
  use_spinlock(*engine, lock, site);
  return engine->sync().lock_mutex(address_of(lock), MutexKind::spinlock, site, engine::no_deadline);
}
int try_lock_spinlock(pthread_spinlock_t* lock, std::uint64_t site) {
  Engine* engine = running();
  if (engine == nullptr) {
    *lock = 1;
    return 0;
  }
  use_spinlock(*engine, lock, site);
  return engine->sync().try_lock_mutex(address_of(lock), MutexKind::spinlock, site);
}
int unlock_spinlock(pthread_spinlock_t* lock, std::uint64_t site) {
  Engine* engine = running();
  if (engine == nullptr) {
    *lock = 0;
    return 0;
  }
  const bool was_held = is_held_since_before_main(*engine, lock);
  use_spinlock(*engine, lock, site);
  if (engine->sync().unlock_mutex(address_of(lock), MutexKind::spinlock, site) == EPERM && !was_held)
    engine->findings().report_misuse("a spinlock is unlocked by a thread that does not hold it", address_of(lock),
                                     site);
  return 0;
}

// ---- reader-writer locks ------------------------------------------------------------------------------------

int initialise(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes, std::uint64_t site) {
  begin_life(lock, site);
  int kind = PTHREAD_RWLOCK_DEFAULT_NP;
  if (attributes != nullptr) ::pthread_rwlockattr_getkind_np(attributes, &kind);
  lock->__data.__flags = static_cast<unsigned>(kind);
  holders_before_main(lock) = 0;
  life_of(lock) = initialised;
  return 0;
}
int destroy(pthread_rwlock_t* lock, std::uint64_t site) { return end_life(lock, site); }

namespace {

/// Before main, locks are not followed. Only that the lock is held is noted, for main.
int lock_before_main(pthread_rwlock_t* lock) {
  ++holders_before_main(lock);
  return 0;
}

/// POSIX lets the call deadlock, or return the error.
int checked_result(Engine& engine, const pthread_rwlock_t* lock, int error, std::uint64_t site) {
  if (error == EDEADLK) report(engine, lock, owned, site);
  return error;
}

}  // namespace

int lock_shared(pthread_rwlock_t* lock, std::uint64_t site, Deadline deadline) {
  Engine* engine = running();
  if (engine == nullptr) return lock_before_main(lock);
  engine::SyncObjects& sync = checked(*engine, lock, used, site).sync();
  return checked_result(*engine, lock, sync.lock_shared(address_of(lock), kind_of(lock), site, deadline), site);
}
int try_lock_shared(pthread_rwlock_t* lock, std::uint64_t site) {
  Engine* engine = running();
  return engine == nullptr
             ? lock_before_main(lock)
             : checked(*engine, lock, used, site).sync().try_lock_shared(address_of(lock), kind_of(lock), site);
}
int lock_exclusive(pthread_rwlock_t* lock, std::uint64_t site, Deadline deadline) {
  Engine* engine = running();
  if (engine == nullptr) return lock_before_main(lock);
  engine::SyncObjects& sync = checked(*engine, lock, used, site).sync();
  return checked_result(*engine, lock, sync.lock_exclusive(address_of(lock), kind_of(lock), site, deadline), site);
}
int try_lock_exclusive(pthread_rwlock_t* lock, std::uint64_t site) {
  Engine* engine = running();
  return engine == nullptr
             ? lock_before_main(lock)
             : checked(*engine, lock, used, site).sync().try_lock_exclusive(address_of(lock), kind_of(lock), site);
}
int unlock(pthread_rwlock_t* lock, std::uint64_t site) {
  Engine* engine = running();
  if (engine == nullptr) {
    if (holders_before_main(lock) != 0) --holders_before_main(lock);
    return 0;
  }
  const bool was_held = is_held_since_before_main(*engine, lock);
  if (checked(*engine, lock, used, site).sync().unlock_rwlock(address_of(lock), site) == EPERM && !was_held)
    report(*engine, lock, not_held, site);
  return 0;
}

// ---- condition variables ------------------------------------------------------------------------------------

int initialise(pthread_cond_t* condition, const pthread_condattr_t* attributes, std::uint64_t site) {
  begin_life(condition, site);
  *condition = PTHREAD_COND_INITIALIZER;
  clockid_t clock = CLOCK_REALTIME;
  if (attributes != nullptr) ::pthread_condattr_getclock(attributes, &clock);
  words(condition)[0] = clock == CLOCK_MONOTONIC ? 1 : 0;
  life_of(condition) = initialised;
  return 0;
}
int destroy(pthread_cond_t* condition, std::uint64_t site) { return end_life(condition, site); }
clockid_t clock_of(const pthread_cond_t* condition) {
  return *reinterpret_cast<const std::uint32_t*>(condition) == 1 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

int wait(pthread_cond_t* condition, pthread_mutex_t* mutex, std::uint64_t site, Deadline deadline) {
  Engine* engine = running();
  if (engine == nullptr) return deadline ? ETIMEDOUT : 0;
  checked(*engine, mutex, used, site);
  checked(*engine, condition, used, site);
  const MutexType type = type_of(mutex);
  if (!engine->sync().holds_mutex(address_of(mutex)) && !is_held_since_before_main(*engine, mutex)) {
    if (type.kind == MutexKind::error_check || type.is_robust) return EPERM;
    report(*engine, condition, "waited for with a mutex that the thread does not hold", site);
  }
  if (engine->sync().has_other_mutex(address_of(condition), address_of(mutex)))
    report(*engine, condition, "waited for with two mutexes at the same time", site);
  return at_cancellation_point(*engine, [&] {
    return engine->sync().wait_condition(address_of(condition), address_of(mutex), type, site, deadline);
  });
}
int wait_until(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec& time,
               std::uint64_t site) {
  if (!is_clock_of_waits(clock) || !is_time(time)) return EINVAL;
  return wait(condition, mutex, site, virtual_deadline(clock, time));
}
int signal(pthread_cond_t* condition, bool all, std::uint64_t site) {
  if (Engine* engine = running())
    checked(*engine, condition, used, site).sync().signal_condition(address_of(condition), all, site);
  return 0;
}

// ---- barriers -----------------------------------------------------------------------------------------------

int initialise(pthread_barrier_t* barrier, unsigned count, std::uint64_t site) {
  if (count == 0) return EINVAL;
  begin_life(barrier, site);
  count_of(barrier) = count;  // also for executions that begin after this call
  life_of(barrier) = initialised;
  if (Engine* engine = running()) engine->sync().initialise_barrier(address_of(barrier));
  return 0;
}
int destroy(pthread_barrier_t* barrier, std::uint64_t site) {
  Engine* engine = running();
  if (engine != nullptr && life_of(barrier) != initialised && life_of(barrier) != destroyed)
    report(*engine, barrier, "destroyed without being initialised", site);
  return end_life(barrier, site);
}

int wait(pthread_barrier_t* barrier, std::uint64_t site) {
  Engine* engine = running();
  if (engine == nullptr) return PTHREAD_BARRIER_SERIAL_THREAD;
  checked(*engine, barrier, used, site);
  const std::uint32_t count = count_of(barrier);
  if (life_of(barrier) != initialised) {
    if (life_of(barrier) != destroyed) report(*engine, barrier, "used without being initialised", site);
    return EINVAL;
  }
  return engine->sync().wait_barrier(address_of(barrier), count, site) ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

// ---- semaphores ---------------------------------------------------------------------------------------------

int initialise(sem_t* semaphore, unsigned value, std::uint64_t site) {
  if (value > SEM_VALUE_MAX) return EINVAL;
  if (Engine* engine = running()) write_first_byte(*engine, address_of(semaphore), site);
  first_value(semaphore) = value;
  life_of(semaphore) = initialised;
  if (Engine* engine = running()) engine->sync().initialise_semaphore(address_of(semaphore), value);
  return 0;
}
int destroy(sem_t* semaphore, std::uint64_t site) { return end_life(semaphore, site); }

int wait(sem_t* semaphore, std::uint64_t site, Deadline deadline) {
  Engine* engine = running();
  if (engine == nullptr) return 0;
  checked(*engine, semaphore, used, site);
  return at_cancellation_point(*engine, engine::Interruptible::unless_restarted, [&] {
    return engine->sync().wait_semaphore(address_of(semaphore), first_value(semaphore), site, deadline);
  });
}
int try_wait(sem_t* semaphore, std::uint64_t site) {
  Engine* engine = running();
  if (engine == nullptr) return 0;
  return checked(*engine, semaphore, used, site)
      .sync()
      .try_wait_semaphore(address_of(semaphore), first_value(semaphore), site);
}
int post(sem_t* semaphore, std::uint64_t site) {
  if (Engine* engine = running())
    return checked(*engine, semaphore, used, site, true)
        .sync()
        .post_semaphore(address_of(semaphore), first_value(semaphore), site);
  if (first_value(semaphore) == SEM_VALUE_MAX) return EOVERFLOW;
  ++first_value(semaphore);
  return 0;
}
int value_of(sem_t* semaphore, std::uint64_t site) {
  Engine* engine = running();
  const std::uint32_t first = first_value(semaphore);
  if (engine == nullptr) return static_cast<int>(first);
  return static_cast<int>(engine->sync().value_of_semaphore(address_of(semaphore), first, site));
}

}  // namespace heddle::abi
