// The synchronisation primitives of the program: mutexes, reader-writer locks, condition variables, barriers,
// semaphores, one-time initialisation, futexes and annotations. Each call is a sequence of steps (sync_rules.hpp) that
// an executor performs; which executor that is makes no difference here.
//
// `address` is always that of the program's object, `site` the place of the call in the program. Functions that return
// int return 0 or an errno value.
#pragma once

#include <cstdint>

#include "engine/memory/object_table.hpp"
#include "engine/operations/deadline.hpp"
#include "engine/operations/sync_executor.hpp"
#include "engine/primitives/held_locks.hpp"
#include "engine/scheduling/event_log.hpp"
#include "engine/scheduling/scheduler.hpp"
#include "engine/threads/thread_table.hpp"

namespace heddle::engine {

enum class MutexKind : std::uint8_t { normal, spinlock, recursive, error_check };
struct MutexType {
  MutexType(MutexKind what, bool robust = false)
      : kind(what), is_robust(robust) {}  // NOLINT(google-explicit-constructor)
  MutexKind kind;
  bool is_robust;
};

/// Whether a thread may share a lock that other threads share while a writer waits for it.
enum class RwlockKind : std::uint8_t { prefers_readers, prefers_writers };

/// Many methods: one for each call of the program.
class SyncObjects {
 public:
  SyncObjects(base::Arena& execution_arena, ObjectTable& objects, HeldLocks& held, ThreadTable& threads,
              Scheduler& scheduler, EventLog& log)
      : execution_arena_(execution_arena), objects_(objects), held_(held), threads_(threads), scheduler_(scheduler),
        log_(log) {}

  void configure(SyncExecutor& executor) { executor_ = &executor; }

  /// EOWNERDEAD: the current thread holds the robust mutex, whose owner has ended.
  int lock_mutex(std::uintptr_t address, MutexType type, std::uint64_t site, Deadline deadline);
  int try_lock_mutex(std::uintptr_t address, MutexType type, std::uint64_t site);
  /// EPERM: the current thread does not hold the mutex. One that can tell stays locked, a normal one is free then.
  int unlock_mutex(std::uintptr_t address, MutexType type, std::uint64_t site);
  /// Whether the current thread holds the mutex.
  bool holds_mutex(std::uintptr_t address);
  /// Mends a robust mutex that the current thread has got with EOWNERDEAD.
  int mend_mutex(std::uintptr_t address, std::uint64_t site);
  HeldLocks& held_locks() { return held_; }
  /// The current thread ends: it leaves the robust mutexes that it holds to other threads.
  void abandon_robust_mutexes();

  /// EDEADLK: the current thread holds the lock exclusively.
  int lock_shared(std::uintptr_t address, RwlockKind kind, std::uint64_t site, Deadline deadline);
  int try_lock_shared(std::uintptr_t address, RwlockKind kind, std::uint64_t site);
  int lock_exclusive(std::uintptr_t address, RwlockKind kind, std::uint64_t site, Deadline deadline);
  int try_lock_exclusive(std::uintptr_t address, RwlockKind kind, std::uint64_t site);
  /// EPERM: the current thread does not hold the lock, which is unlocked nevertheless.
  int unlock_rwlock(std::uintptr_t address, std::uint64_t site);

  int wait_condition(std::uintptr_t address, std::uintptr_t mutex, MutexType type, std::uint64_t site,
                     Deadline deadline);
  /// Whether threads wait for the condition variable with another mutex than this one.
  bool has_other_mutex(std::uintptr_t address, std::uintptr_t mutex);
  void signal_condition(std::uintptr_t address, bool all, std::uint64_t site);

  void initialise_barrier(std::uintptr_t address);
  /// True for one thread of each round. `count` threads make a round.
  bool wait_barrier(std::uintptr_t address, std::uint32_t count, std::uint64_t site);

  void initialise_semaphore(std::uintptr_t address, std::uint32_t value);
  /// `initial` is the value of a semaphore that is met for the first time. 0, or ETIMEDOUT.
  int wait_semaphore(std::uintptr_t address, std::uint32_t initial, std::uint64_t site, Deadline deadline);
  /// 0, or EAGAIN.
  int try_wait_semaphore(std::uintptr_t address, std::uint32_t initial, std::uint64_t site);
  /// 0, or EOVERFLOW.
  int post_semaphore(std::uintptr_t address, std::uint32_t initial, std::uint64_t site);
  std::int64_t value_of_semaphore(std::uintptr_t address, std::uint32_t initial, std::uint64_t site);

  /// True: the caller must initialise and then call finish_once. False: it has been done.
  bool begin_once(std::uintptr_t address, std::uint64_t site);
  void finish_once(std::uintptr_t address, bool succeeded, std::uint64_t site);

  /// 0, ETIMEDOUT or EAGAIN.
  int wait_futex(std::uintptr_t address, std::uint32_t expected, std::uint64_t site, Deadline deadline);
  /// Returns how many threads were woken.
  int wake_futex(std::uintptr_t address, std::uint32_t count, std::uint64_t site);

  void annotate_acquire(std::uintptr_t address, std::uint64_t site);
  void annotate_release(std::uintptr_t address, std::uint64_t site);

  /// The object was initialised or destroyed.
  void forget(std::uintptr_t address) { objects_.forget(address); }
  bool knows(std::uintptr_t address) { return objects_.knows(address); }
  /// Whether a thread holds the mutex or reader-writer lock, sleeps on the condition variable, or waits at the barrier.
  bool is_in_use(std::uintptr_t address);

 private:
  SyncObject& semaphore(std::uintptr_t address, std::uint32_t initial);
  int own(SyncObject& mutex, MutexType type, graph::Value before, LockCall call, std::uint64_t site);
  void disown(SyncObject& mutex);
  void unlock(SyncObject& mutex, const Step& step, std::uint64_t site);
  int error_of_wait();
  SyncObject& rwlock(std::uintptr_t address, RwlockKind kind);
  int share(SyncObject& lock, StepResult result, int error, LockCall call, std::uint64_t site);
  int own_rwlock(SyncObject& lock, StepResult result, int error, LockCall call, std::uint64_t site);
  BarrierRound& round(SyncObject& barrier, std::uint64_t number);

  base::Arena& execution_arena_;
  ObjectTable& objects_;
  HeldLocks& held_;
  ThreadTable& threads_;
  Scheduler& scheduler_;
  EventLog& log_;
  SyncExecutor* executor_ = nullptr;
};

}  // namespace heddle::engine
