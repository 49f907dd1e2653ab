// Potential deadlocks: threads that take the same locks in different orders, although none of them waits for ever in
// this execution. Follows Havelund, "Using Runtime Analysis to Guide Model Checking of Java Programs" (SPIN 2000), the
// Goodlock algorithm, with the guards and the segments of Bensalem and Havelund (HVC 2005).
//
// An edge from lock A to lock B says that a thread that held A took B, and would have waited for it. A lock that a
// thread takes only if that is possible at once, or within some time, is the source of edges but never their target. A
// cycle of edges is reported if
// - each edge is of another thread,
// - no lock guards two of the edges, which means: both threads held it, one of them exclusively,
// - neither of two edges comes before the other because of the creation of threads or of joins, and
// - in each lock of the cycle, one of the two threads that meet there wants it or holds it exclusively.
//
// Edges live as long as the execution, so what is reported depends on nothing but the execution.
#pragma once

#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "engine/primitives/held_locks.hpp"
#include "run/specification.hpp"

namespace heddle::engine {

struct ProgramThread;
class FindingSink;

class LockOrder {
 public:
  /// Longer cycles are not looked for.
  static constexpr std::size_t longest_cycle = 5;

  LockOrder(base::Arena& execution_arena, FindingSink& findings)
      : execution_arena_(execution_arena), findings_(findings) {}

  void configure(run::LockOrder what) { what_ = what; }
  void begin_execution() {
    pending_.forget();
    searches_ = 0;
  }

  /// The current thread, which holds other locks, has taken the last of those that it holds.
  void record_nesting(ProgramThread& self);
  void pass_to_child(ProgramThread& parent, ProgramThread& child);
  void take_from_joined(ProgramThread& self, const ProgramThread& joined);

 private:
  /// Locks with more edges get no new ones.
  static constexpr std::size_t most_edges = 64;
  static constexpr std::uint32_t most_steps = 4096;

  static bool knows_edge(const ProgramThread& self, const HeldLock& from, const HeldLock& taken,
                         std::span<const HeldLock> held);
  void add_edge(ProgramThread& self, const HeldLock& from, const HeldLock& taken, std::span<const HeldLock> guards);
  void report(std::span<const LockEdge*> cycle);
  bool may_close(const LockEdge& edge);
  bool extend(std::span<const LockEdge*> path, std::size_t length);
  ThreadLocks& locks_of(ProgramThread& thread);

  base::Arena& execution_arena_;
  FindingSink& findings_;
  run::LockOrder what_ = run::LockOrder::report;
  base::ArenaVector<SyncObject*> pending_;  ///< may_close(): the locks that it has reached
  std::uint64_t searches_ = 0;              ///< may_close(): marks the locks that it has reached
  std::uint32_t steps_ = 0;                 ///< extend(): how many more it may make for one edge
};

}  // namespace heddle::engine
