// The locks that threads hold: mutexes, reader-writer locks, and locks that the program has annotated. What is wrong
// with them when their memory or their thread ends is told from here, and the order in which they are taken
// (lock_order.hpp).
#pragma once

#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "engine/isolation/modules.hpp"
#include "engine/operations/sync_object.hpp"
#include "engine/threads/call_stacks.hpp"
#include "engine/threads/held_lock.hpp"
#include "engine/threads/thread_table.hpp"

namespace heddle::engine {

class FindingSink;
class LockOrder;

class HeldLocks {
 public:
  HeldLocks(base::Arena& execution_arena, ThreadTable& threads, CallStackTree& stacks, LockOrder& order,
            FindingSink& findings)
      : execution_arena_(execution_arena), threads_(threads), stacks_(stacks), order_(order), findings_(findings) {}

  void begin_execution() { count_ = 0; }

  /// The current thread has got the lock.
  void add(SyncObject& lock, LockMode mode, LockCall call, std::uint64_t site);
  /// The thread does not hold the lock any more. Mostly it is the one that it has taken last.
  void remove(const SyncObject& lock, ProgramThread& thread) {
    if (thread.locks == nullptr || thread.locks->held.empty()) return;
    ThreadLocks& own = *thread.locks;
    if (own.held.back().is(lock) && own.on_own_stack == 0) {
      own.held.pop_back();
      --count_;
    } else {
      remove_any(lock, own);
    }
  }
  /// Whether the current thread holds the lock.
  bool holds(const SyncObject& lock) const;

  bool is_any_held() const { return count_ != 0; }
  /// The memory is freed: reports locks in it that a thread holds.
  void check_memory(Range memory, std::uint64_t site);
  /// Reports locks that the current thread holds in frames of functions that have returned.
  void check_frames();
  void pass_to_child(ProgramThread& child);
  void take_from_joined(const ProgramThread& joined);
  /// The current thread ends: reports the locks that it holds.
  void check_end_of_thread();

 private:
  void remove_any(const SyncObject& lock, ThreadLocks& own);
  void drop(ThreadLocks& own, std::size_t index);
  void report(const HeldLock& held, const char* what, std::uint64_t site, std::uint32_t stack);

  base::Arena& execution_arena_;
  ThreadTable& threads_;
  CallStackTree& stacks_;
  LockOrder& order_;
  FindingSink& findings_;
  std::uint64_t count_ = 0;  ///< of all threads
};

}  // namespace heddle::engine
