// The definition of every synchronisation primitive, as steps on the state of an object.
//
// A step judges the state: it can continue and change the state, continue and leave it as it is, or it has to wait. Two
// executors perform steps (sync_executor.hpp): DirectExecutor keeps the state in the object and is used when executions
// are sampled; GraphExecutor keeps it in the execution graph, as the value of a location, and is used by the search.
// Neither knows which primitive it serves.
//
// Which steps are barriers under the model tso follows glibc 2.36 on x86-64 (nptl/): pthread_spin_unlock is a plain
// store. pthread_cond_signal and pthread_cond_broadcast without a waiter, sem_getvalue, sem_trywait of an empty
// semaphore, and pthread_once of what is done are plain loads. Everything else has an instruction with the prefix lock,
// or xchg: pthread_mutex_unlock (lll_unlock: xchg), a failed pthread_mutex_trylock (lock cmpxchg), both ends of
// reader-writer locks, sem_post (lock xadd), pthread_barrier_wait (lock xadd on entry and exit).
#pragma once

#include <cstdint>

#include "base/arena.hpp"
#include "engine/operations/operation.hpp"
#include "graph/event.hpp"

namespace heddle::engine {

/// The threads that sleep on an object, in the order in which they fell asleep.
struct SleeperList {
  base::Arena* arena = nullptr;
  base::ArenaVector<graph::ThreadId> threads;
};

/// The state of an object as its rules see it. Condition variables and futexes have a set of sleeping threads: bits of
/// `value` where the graph stores the state, or a list, which may hold more threads than a value has bits.
struct ObjectState {
  graph::Value value = 0;
  SleeperList* list = nullptr;

  /// Threads with ids below this fit into the bits of a value.
  static constexpr std::uint32_t most_sleeper_bits = 8 * sizeof(graph::Value);

  bool is_asleep(graph::ThreadId thread) const;
  std::uint32_t sleepers() const;
  void put_to_sleep(graph::ThreadId thread);
  void wake(graph::ThreadId thread);
  /// Wakes the sleeper with this index: in order of falling asleep (list), or of thread ids (bits).
  void wake_at(std::uint32_t index);
  void wake_all();
};

enum class Effect : std::uint8_t {
  changes,  ///< the step continues, and changes the state
  keeps,    ///< the step continues, and leaves the state as it is
  waits,    ///< the step must wait for another state
};

/// Whose releases a step synchronises with.
enum class Learns : std::uint8_t { nothing, all_releases, exclusive_releases };
/// What later steps learn of this one.
enum class Publishes : std::uint8_t {
  nothing,
  adds,                  ///< one more release
  replaces,              ///< the release stands for all before it, which its thread has learnt of
  replaces_exclusively,  ///< as `replaces`, also for those that learn of exclusive releases only
};

struct Rule;

/// One step of a primitive.
struct Step {
  Effect (*judge)(const ObjectState& state, const Rule& rule);
  /// Called only if judge() says that the state changes, or if a step that gives up changes it (below).
  void (*change)(ObjectState& state, const Rule& rule);
  Operation operation;
  graph::EventKind kind;     ///< of the event that DirectExecutor records
  graph::MemoryOrder order;  ///< of the read-modify-write that GraphExecutor records
  Learns learns = Learns::nothing;
  Publishes publishes = Publishes::nothing;
  /// DirectExecutor records no event: the step is part of a call that records its own.
  bool is_silent = false;
  /// A step that gives up instead of waiting changes the state: a sleeper that leaves must not be counted as one.
  bool changes_when_giving_up = false;
  /// The parameter is the index of one of the sleepers. The executor chooses it.
  bool chooses_sleeper = false;
  /// What the C library does on x86. A step that changes the state is a locked instruction, which is a full barrier, or
  /// a plain store. A step that leaves the state as it is, is a locked instruction, too, or a plain load.
  bool stores_plainly = false;
  bool looks_plainly = false;
};

/// A step as one thread performs it.
struct Rule {
  const Step* step = nullptr;
  std::uint64_t parameter = 0;
  bool gives_up = false;     ///< it gives up rather than wait
  bool may_give_up = false;  ///< whether it waits or gives up is a choice

  /// What the state allows, whether or not the step would give up.
  Effect judge(const ObjectState& state) const { return step->judge(state, *this); }
  /// What happens in this state.
  Effect effect_on(const ObjectState& state) const {
    const Effect effect = judge(state);
    if (effect != Effect::waits || !gives_up) return effect;
    return step->changes_when_giving_up ? Effect::changes : Effect::keeps;
  }
};

/// Mutex: 0, or 1 + the id of the thread that holds it. The parameter is the locking thread. A robust mutex whose owner
/// has ended is inconsistent until its next owner mends it; if that one does not, it is unrecoverable.
inline constexpr graph::Value mutex_inconsistent = graph::Value{1} << 64, mutex_unrecoverable = graph::Value{1} << 65;
extern const Step mutex_lock, mutex_timed_lock, mutex_try_lock, mutex_unlock, mutex_owner_ends, mutex_mend;
/// A spinlock is a mutex but for this.
extern const Step spinlock_unlock;

/// Reader-writer lock: how many threads share it, or rwlock_owned; plus rwlock_announced for each writer that has
/// announced itself. Only locks that prefer writers have these. A thread announces itself, then waits until the lock is
/// free, and owns it or withdraws. A lock that is shared is not shared by further threads while a writer waits.
inline constexpr graph::Value rwlock_owned = graph::Value{1} << 64, rwlock_announced = graph::Value{1} << 65;
extern const Step rwlock_share, rwlock_own, rwlock_leave_shared, rwlock_leave_exclusive;
extern const Step rwlock_share_after_writers, rwlock_announce, rwlock_own_announced, rwlock_withdraw;

/// Semaphore: by how much its value has changed. The parameter is the value that it began with.
std::int64_t semaphore_value(graph::Value state, std::uint64_t initial);
inline constexpr std::int64_t greatest_semaphore_value = 0x7fffffff;  // SEM_VALUE_MAX
extern const Step semaphore_take, semaphore_post, semaphore_look;

/// Barrier: how many rounds are complete (low word), and how many threads have arrived in this one (high word). The
/// parameter is how many must arrive.
std::uint64_t barrier_rounds(graph::Value state);
std::uint64_t barrier_arrived(graph::Value state);
extern const Step barrier_arrive;

/// One-time initialisation. once_leave's parameter is the new state.
inline constexpr std::uint64_t once_untouched = 0, once_in_progress = 1, once_done = 2;
extern const Step once_enter, once_leave;

/// Condition variable, futex: the threads that sleep. The parameter of sleep and wake_up is the thread; that of
/// wake_one the index of the sleeper, which the executor chooses.
extern const Step condition_sleep, condition_wake_up, condition_wake_one, condition_wake_all;
extern const Step futex_sleep, futex_wake_up, futex_wake_one, futex_wake_all;

/// Annotations of happens-before: a counter of releases.
extern const Step annotation_acquire, annotation_release;

}  // namespace heddle::engine
