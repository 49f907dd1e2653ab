// A thread of the program under test: a fiber, its state, and what it waits for.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "base/arena.hpp"
#include "engine/isolation/fiber.hpp"
#include "engine/operations/deadline.hpp"
#include "engine/operations/interrupts.hpp"
#include "engine/operations/sync_rules.hpp"
#include "engine/threads/call_stacks.hpp"
#include "engine/threads/clock_reads.hpp"
#include "engine/threads/loop_history.hpp"
#include "graph/event.hpp"
#include "strategies/strategy.hpp"

namespace heddle::engine {

struct SyncObject;
struct ThreadLocks;
struct ProgramThread;

/// Can the thread continue with what it waits for?
using Ready = bool (*)(const SyncObject& object, const ProgramThread& thread);

struct TlsDestructor {
  void (*function)(void*);
  void* object;
};
/// A call into a library that --trust names, whose return is awaited.
struct OpenTrustedCall {
  std::uint64_t return_address;
  std::uintptr_t slot;  ///< where the return address was
  const char* library;
};
struct KeyValue {
  std::uint32_t key;
  void* value;
};

/// The state of a thread that only a search needs. Sampling does not change it.
/// Many fields: each part that stops threads of a search has a few.
struct SearchState {
  struct PendingStep {
    SyncObject* object = nullptr;
    Rule rule;
  };
  PendingStep pending_step;             ///< the operation that it is about to perform, if that is a step on an object
  Rule blocked_by;                      ///< the step that blocks it for the rest of the execution
  std::uint64_t now = 0;                ///< its virtual clock
  bool wakes_early = false;             ///< it wakes for no reason, before its time is up
  bool would_give_up = false;           ///< it waits only because a bound on spurious wake-ups is reached
  bool need_not_go_on = false;          ///< RetryLoops: another execution stands for those in which it continues
  bool is_confirming = false;           ///< SearchParking: it repeats its loop, and reads the newest writes
  bool has_written_in_round = false;    ///< SearchParking: it is stopped after a round of waiting_rounds.hpp
  bool has_undone = false;              ///< UndoingLoops: it is stopped after an iteration that it has undone
  std::uint16_t use_of_result = 0;      ///< UndoingLoops: of the addition that it is about to make
  std::uint64_t local_state = 0;        ///< a key of its registers and its stack at the pending operation; 0: not known
  std::uintptr_t frames = 0;            ///< the frames of the program begin here on its stack; 0: not known
  std::uint32_t confirmed_returns = 0;  ///< SearchParking: how often its loop came back to the same state again
  std::size_t parked_at = 0;   ///< SearchParking: the number of events when it began to wait for volatile memory
  std::uint32_t given_up = 0;  ///< how often it woke for no reason, or because its time was up
  bool fails_in_vain = false;  ///< RetryLoops: a spurious failure of its compare-exchange need not be explored
  struct Visit {
    std::uint64_t place;
    std::uint32_t count;
  };
  base::ArenaVector<Visit> visits;    ///< strategies::SearchBounds::loop
  base::ArenaVector<Visit> failures;  ///< where weak compare-exchanges failed without a reason
  /// Symmetry (TwinThreads): what the thread was created to do, its twins, the last thread that it created, and the
  /// eldest of the twins of which it has joined some but not all.
  std::uint64_t task = 0;
  ProgramThread* twin = nullptr;
  ProgramThread* younger_twin = nullptr;
  ProgramThread* last_child = nullptr;
  const ProgramThread* joined_one_of = nullptr;
};

/// The state of a thread in one execution.
/// Many fields: a thread waits, ends and answers signals in many ways; all of it is reset together.
struct StateInExecution {
  enum class State : std::uint8_t { absent, alive, finished };

  State state = State::absent;
  bool enabled = false;
  bool parked = false;   ///< it spins, and nothing that it reads has changed
  bool started = false;  ///< it has frames on its stack
  bool dormant = false;  ///< a fiber of the program (ProgramFibers) that the program has left, or not yet entered
  enum class DroppedOut : std::uint8_t { no, by_assumption, by_bound, by_finding };
  DroppedOut dropped_out = DroppedOut::no;  ///< why it does not continue, except for a lock or the like
  std::uint32_t spawned = 0;
  std::uint32_t opened_files = 0;    ///< pipes and the like (descriptors.hpp) that it has created
  std::uint32_t events_at_half = 0;  ///< its events when half of the events that the limit allows had been executed
  strategies::PendingOperation pending;
  std::uint64_t site = 0;            ///< of the pending operation
  std::uint64_t parked_until = 0;    ///< SpinParking: the number of steps after which it runs again
  std::uint32_t volatile_reads = 0;  ///< since it let other threads run

  SyncObject* waits_for = nullptr;
  Ready ready = nullptr;
  const Rule* waits_with = nullptr;       ///< the step that it waits to perform, if `ready` is rule_allows
  bool gives_up = false;                  ///< timed wait: it may stop waiting at any moment
  bool timed_out = false;                 ///< timed wait: virtual time has reached the deadline
  bool sleeps = false;                    ///< until the deadline
  bool ignores_futex_time_limit = false;  ///< it is in a library's function that looks again after a time, for safety
  Deadline deadline;
  ClockReads clock_reads;
  ClockReads expired_waits;         ///< with strict time: waits that begin after their deadline
  ClockReads vain_tries;            ///< with strict time: calls that could do nothing
  std::uint64_t barrier_round = 0;  ///< the round that it is in

  void* (*routine)(void*) = nullptr;
  void* argument = nullptr;
  void* result = nullptr;
  bool detached = false;
  bool joined = false;
  const ProgramThread* joiner = nullptr;  ///< that waits for its end
  std::uint32_t creation_stack = 0;       ///< where it was created; 0: not noted
  graph::EventId created = graph::no_event;
  graph::EventId finished = graph::no_event;

  /// PlainMemory: the program's stack pointer when the thread was suspended at an address, after so many events.
  struct SeenStack {
    std::uintptr_t suspended_at = 0;
    std::uint32_t events = 0;
    std::uintptr_t stack_pointer = 0;
  } seen_stack;
  std::uint32_t ignore_depth = 0;  ///< annotations: race checks are off
  base::ArenaVector<TlsDestructor> tls_destructors;
  base::ArenaVector<KeyValue> keys;
  ThreadLocks* locks = nullptr;                   ///< HeldLocks
  base::ArenaVector<SyncObject*> robust_mutexes;  ///< that it holds, the last one last
  base::ArenaVector<void*> cleanup_buffers;       ///< pthread_cleanup_push in C: where to jump on pthread_exit

  base::ArenaVector<OpenTrustedCall> trusted_calls;  ///< the innermost last

  bool is_service = false;   ///< it is part of the runtime (a timer), and the program can end without it
  bool is_watchdog = false;  ///< it waits to send a signal that would end the program
  bool interrupted = false;  ///< it has a signal or a cancellation to answer
  Interruptible interruptible = Interruptible::never;  ///< what a handler does to the call that it is in
  std::uint32_t handled_signals = 0;                   ///< how many handlers have run on it
  std::uint32_t asynchronous_handlers = 0;             ///< that run on it now, see Signals::check_call()
  WaitEnd wait_end = WaitEnd::ordinary;                ///< of the last wait that a signal or a cancellation ended
  Cancellation cancellation;
  ThreadSignals* signals = nullptr;

  WaitEnd take_wait_end() {
    const WaitEnd end = wait_end;
    wait_end = WaitEnd::ordinary;
    return end;
  }
};

struct ProgramThread : StateInExecution, SearchState {
  // Belongs to the slot, and stays over executions.
  graph::ThreadId id{};
  std::uint64_t name = 0;  ///< canonical, a function of (parent's name, spawn index)
  const ProgramThread* parent = nullptr;
  std::uint32_t spawn_index = 0;               ///< among its parent's threads
  std::uint32_t depth = 0;                     ///< 0: main
  base::ArenaVector<ProgramThread*> children;  ///< of all executions so far, by spawn index from 1
  /// The spawn indices from main down to this thread, in 16 bits each: see precedes(). Most threads have one.
  std::uint64_t rank = 0;
  static constexpr std::uint64_t no_rank = ~std::uint64_t{0};
  char label[64] = {};      ///< for people: T0, T0.1, T0.1.2
  std::uint32_t place = 0;  ///< in this execution: where its memory lies, see ThreadPlaces
  pthread_t handle = 0;     ///< what pthread_self() returns in it: the kernel thread whose TLS it borrows
  const std::byte* initial_tls = nullptr;  ///< its thread-local storage when it was new; null: main
  Fiber fiber;
  SyncObject* done = nullptr;  ///< what joiners wait for

  // Belongs to the execution, but is large: each is emptied by itself, which touches little of it.
  CallStack calls;
  LoopHistory loops;
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
