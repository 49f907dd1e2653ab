// The locks that a thread holds, and the orders in which threads take locks. What is done with them:
// primitives/held_locks.hpp and primitives/lock_order.hpp.
#pragma once

#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "engine/operations/sync_object.hpp"
#include "graph/event.hpp"

namespace heddle::engine {

struct ProgramThread;

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

/// A thread that held `from` took `to`.
struct LockEdge {
  HeldLock from;
  HeldLock to;
  const ProgramThread* thread;
  std::uint32_t section;                ///< of the thread, when it took `to`
  std::span<const KnownSection> known;  ///< by the thread, when it took `to`
  std::span<const HeldLock> guards;     ///< all locks that the thread held, `from` included
};

}  // namespace heddle::engine
