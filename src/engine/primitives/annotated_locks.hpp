// Locks that the program has made itself, of atomics or futexes, and tells of by annotations (__tsan_mutex_lock and the
// like). Locking and unlocking synchronise, as those of a mutex do. Whether a thread waits is up to the program's lock.
#pragma once

#include <cstdint>

#include "engine/memory/object_table.hpp"
#include "engine/primitives/held_locks.hpp"
#include "engine/primitives/sync_objects.hpp"
#include "engine/threads/thread_table.hpp"

namespace heddle::engine {

class FindingSink;

class AnnotatedLocks {
 public:
  /// As in sanitizer/tsan_interface.h.
  enum Flag : unsigned {
    linker_init = 1U << 0,  ///< a destructor may run while it is locked: the lock is a static variable
    write_reentrant = 1U << 1,
    read_reentrant = 1U << 2,
    read_lock = 1U << 3,
    try_lock = 1U << 4,
    try_lock_failed = 1U << 5,
    recursive_lock = 1U << 6,    ///< locks it as often as it was unlocked by recursive_unlock
    recursive_unlock = 1U << 7,  ///< unlocks it as often as the thread has locked it
  };

  AnnotatedLocks(base::Arena& execution_arena, ObjectTable& objects, ThreadTable& threads, HeldLocks& held,
                 SyncObjects& sync, FindingSink& findings)
      : execution_arena_(execution_arena), objects_(objects), threads_(threads), held_(held), sync_(sync),
        findings_(findings) {}

  void create(std::uintptr_t address, unsigned flags);
  void destroy(std::uintptr_t address, unsigned flags, std::uint64_t site);
  void before_lock(std::uintptr_t address, unsigned flags, std::uint64_t site);
  void after_lock(std::uintptr_t address, unsigned flags, std::uint32_t recursion, std::uint64_t site);
  /// Returns how often the thread had locked it, for recursive_unlock; otherwise 0. `may_be_held`: a thread that has
  /// not been seen to lock it may hold it, since before main.
  std::uint32_t before_unlock(std::uintptr_t address, unsigned flags, bool may_be_held, std::uint64_t site);

 private:
  void unlock_shared(SyncObject& lock, bool may_be_held, std::uint64_t site);

  base::Arena& execution_arena_;
  ObjectTable& objects_;
  ThreadTable& threads_;
  HeldLocks& held_;
  SyncObjects& sync_;
  FindingSink& findings_;
};

}  // namespace heddle::engine
