// A thread of the program under test: a fiber, its state, and what it waits for.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "base/arena.hpp"
#include "engine/call_stacks.hpp"
#include "engine/deadline.hpp"
#include "engine/fiber.hpp"
#include "engine/rule.hpp"
#include "engine/spin.hpp"
#include "engine/waiting_loop.hpp"
#include "graph/event.hpp"
#include "strategies/strategy.hpp"

namespace heddle::engine {

struct SyncObject;
struct ProgramThread;

/// Can the thread go on with what it waits for?
using Ready = bool (*)(const SyncObject& object, const ProgramThread& thread);

struct TlsDestructor {
  void (*function)(void*);
  void* object;
};
struct KeyValue {
  std::uint32_t key;
  void* value;
};

/// What a thread is under the exhaustive search; nobody else changes it.
struct SearchState {
  struct ExploredOperation {
    SyncObject* object = nullptr;
    Rule rule;
  };
  ExploredOperation explored;  ///< what it is about to do, if that is an operation on an object (explored_sync.cpp)
  Rule blocked_by;             ///< why it waits, for the rest of the execution
  std::uint64_t now = 0;       ///< Engine::now
  bool wakes_early = false;    ///< it wakes for no reason, before its time is over
  bool would_give_up = false;  ///< it waits, but only because a bound is reached
  std::uint32_t given_up = 0;  ///< how often it woke for no reason, or because its time was over
  struct Visit {
    std::uint64_t place;
    std::uint32_t count;
  };
  base::ArenaVector<Visit> visits;  ///< exploration::Bounds::loop
  /// Symmetry: what it was created to do, its twin, and of the twins that it created the last one, and one that it
  /// joined before the others.
  std::uint64_t task = 0;
  ProgramThread* twin = nullptr;
  ProgramThread* younger_twin = nullptr;
  ProgramThread* last_child = nullptr;
  const ProgramThread* joined_one_of = nullptr;
};

/// What a thread is in one execution.
struct ThreadState {
  enum class State : std::uint8_t { absent, alive, finished };

  State state = State::absent;
  bool enabled = false;
  bool parked = false;   ///< spins, and nothing it reads has changed
  bool started = false;  ///< has frames on its stack
  enum class DroppedOut : std::uint8_t { no, by_assumption, by_bound };
  DroppedOut dropped_out = DroppedOut::no;  ///< it does not go on, and that is not the program's fault
  std::uint32_t spawned = 0;
  strategies::PendingOperation pending;
  std::uint64_t site = 0;  ///< of the pending operation

  SyncObject* waits_for = nullptr;
  Ready ready = nullptr;
  bool signalled = false;  ///< condition, futex: somebody woke it
  bool gives_up = false;   ///< timed wait: may stop waiting at any moment
  bool timed_out = false;
  Deadline deadline;
  std::uint32_t generation = 0;  ///< barrier: the round it waits for

  void* (*routine)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;
  bool detached = false;
  bool joined = false;
  graph::EventId created = graph::no_event;
  graph::EventId finished = graph::no_event;

  std::uint32_t ignore_depth = 0;  ///< annotations: race checks are off
  base::ArenaVector<TlsDestructor> tls_destructors;
  base::ArenaVector<KeyValue> keys;
  base::ArenaVector<void*> cleanup_buffers;  ///< pthread_cleanup_push in C: where to jump on pthread_exit
};

struct ProgramThread : ThreadState, SearchState {
  // Belongs to the slot, and stays over executions.
  graph::ThreadId id{};
  std::uint64_t name = 0;  ///< canonical, a function of (parent's name, spawn index)
  const ProgramThread* parent = nullptr;
  std::uint32_t spawn_index = 0;  ///< among its parent's threads
  std::uint32_t depth = 0;        ///< 0: main
  /// The spawn indices from main down to it, in 16 bits each: see precedes(). Most threads have one.
  std::uint64_t rank = 0;
  static constexpr std::uint64_t no_rank = ~std::uint64_t{0};
  char label[64] = {};   ///< for people: T0, T0.1, T0.1.2
  pthread_t handle = 0;  ///< what pthread_self() says in it: the kernel thread whose TLS it borrows
  Fiber fiber;
  SyncObject* done = nullptr;  ///< what joiners wait for

  // Belongs to the execution, too, but is large: each is emptied by itself, which touches little of it.
  CallStack calls;
  SpinDetector spin;
  WaitingLoop waiting_loop;
};

/// The order in which threads are offered to strategies: parents before their children, elder before younger. It
/// depends on names alone, never on which slot a thread happened to get.
inline bool precedes(const ProgramThread* a, const ProgramThread* b) {
  if (a->rank != ProgramThread::no_rank && b->rank != ProgramThread::no_rank) return a->rank < b->rank;
  const bool b_is_deeper = a->depth < b->depth;
  while (a->depth > b->depth) a = a->parent;
  while (b->depth > a->depth) b = b->parent;
  if (a == b) return b_is_deeper;
  while (a->parent != b->parent) a = a->parent, b = b->parent;
  return a->spawn_index < b->spawn_index;
}

}  // namespace heddle::engine
