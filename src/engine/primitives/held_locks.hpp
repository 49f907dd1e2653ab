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
#include "engine/threads/thread_table.hpp"

namespace heddle::engine {

class FindingSink;
class LockOrder;

enum class LockMode : std::uint8_t { shared, exclusive };
/// Whether a thread waits until it gets the lock. A thread that gives up instead cannot deadlock there.
enum class LockCall : std::uint8_t { waits, gives_up };

/// A lock that a thread holds.
struct HeldLock {
  SyncObject* lock = nullptr;
  std::uint64_t serial = 0;  ///< of the object: its memory may become another one
  LockMode mode = LockMode::exclusive;
  std::uint32_t stack = 0;  ///< where it was taken
  std::uint64_t site = 0;
  std::uint32_t depth = 0;   ///< on the stack of its thread: how many calls were there, with the one that it lies in
  std::uintptr_t frame = 0;  ///< the frame of that call; 0: it is on no stack, or on that of another thread

  bool is(const SyncObject& object) const { return lock == &object && serial == object.serial; }
  /// False: the object's life has ended, without a call that unlocked it.
  bool is_alive() const { return serial == lock->serial; }
};

/// What a thread knows of another by creating and joining threads: everything up to this section of its execution.
struct KnownSection {
  graph::ThreadId thread;
  std::uint32_t section;
};

/// The locks of a thread. A thread that never took any has none of this.
struct ThreadLocks {
  base::ArenaVector<HeldLock> held;  ///< the last one last
  std::uint32_t on_own_stack = 0;    ///< how many of them have a frame
  std::uint32_t section = 1;         ///< begins anew with every thread that it creates
  bool has_nested = false;           ///< it has taken a lock while it held another
  base::ArenaVector<KnownSection> known;
};

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
  void note_create(ProgramThread& child);
  void note_join(const ProgramThread& joined);
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
