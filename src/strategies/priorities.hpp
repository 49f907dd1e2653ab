// The schedule that pct and pctwm share: the thread with the highest priority runs, and at a few change points, drawn
// beforehand, the running thread falls. The two strategies differ in which operations count, and in how the operation
// at the change point reads.
//
// Priorities, from the highest to the lowest:
// - random numbers, for threads that have not fallen. Independent numbers are a random order, and a new thread gets a
//   random place in it, which is the papers' "insert at a random index".
// - the slots of the change points, n-1 to 0.
// - threads that yielded; the last to yield is the lowest.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/arena.hpp"
#include "base/random.hpp"
#include "strategies/strategy.hpp"

namespace heddle::strategies {

class PrioritySchedule {
 public:
  static constexpr std::uint32_t max_points = 32;
  /// Does an operation of this kind count? `stores_are_immediate` as in Choice.
  using Counts = bool (*)(graph::EventKind kind, graph::MemoryOrder order, bool stores_are_immediate);

  /// `arena` outlives executions.
  PrioritySchedule(base::Arena& arena, Counts counts);

  /// Starts an execution with `points` change points, distinct and uniform in 1..length; points <= length. Without a
  /// length, each point is drawn from a random length of its own. The caller has begun random().
  void begin(std::uint32_t points, std::optional<std::uint32_t> length);

  /// The option with the highest priority, after change points and yields have changed priorities.
  std::uint32_t choose_thread(const Choice& choice);
  /// Is the operation that `thread` is about to execute at a change point? Also counts the operation, if no choice
  /// between threads did so because no other thread could run.
  bool is_delayed(graph::ThreadId thread, graph::EventKind kind, graph::MemoryOrder order) {
    ActorPriority& known = state(Option::actor_of(thread));
    falls_at_change_point(known, kind, order);
    return known.pending.is_delayed;
  }
  void executed(const graph::Event& event) {
    if (event.thread == graph::no_thread) return;
    ActorPriority& thread = state(Option::actor_of(event.thread));
    falls_at_change_point(thread, event.kind, event.order);  // counts it, if no choice between threads did
    thread.pending = {};
  }

  base::Random& random() { return random_; }
  /// The change points of this execution; a thread that falls at the first one stays above those that fall at the
  /// others.
  std::span<const std::uint32_t> points() const { return {points_, point_count_}; }
  /// The number of operations of this execution that counted so far.
  std::uint32_t counted() const { return number_; }
  /// How often, in all executions, a thread ran for so long that another one got its priority.
  std::uint64_t escapes() const { return escapes_; }

 private:
  static constexpr std::uint32_t no_actor = 0xffffffffU;
  static constexpr std::size_t kinds = static_cast<std::size_t>(graph::EventKind::finish) + 1;
  static constexpr std::size_t orders = static_cast<std::size_t>(graph::MemoryOrder::seq_cst) + 1;

  struct ActorPriority {
    std::int64_t priority = 0;
    std::uint32_t execution = 0;  ///< the execution that these values are of
    // Of the pending operation. One byte, since it is written at every event.
    struct Pending {
      bool is_counted : 1 = false;
      bool is_delayed : 1 = false;
      bool has_yielded : 1 = false;
    } pending;
  };

  /// The state of a thread, or of its store buffer, by Option::actor(): each has a priority of its own.
  ActorPriority& state(std::uint32_t actor) {
    return actor < threads_.size() && threads_[actor].execution == execution_ ? threads_[actor] : meet(actor);
  }
  [[gnu::noinline]] ActorPriority& meet(std::uint32_t actor);
  std::uint32_t highest(const Choice& choice);
  bool falls(const Option& option);
  bool falls_at_change_point(ActorPriority& thread, graph::EventKind kind, graph::MemoryOrder order) {
    if (thread.pending.is_counted ||
        (counts_[static_cast<int>(kind)][stores_are_immediate_] >> static_cast<int>(order) & 1) == 0)
      return false;
    thread.pending.is_counted = true;
    if (++number_ != next_point_) return false;
    fall(thread);
    return true;
  }
  [[gnu::noinline]] void fall(ActorPriority& thread);
  void draw_points(std::uint32_t points, std::optional<std::uint32_t> length);
  void find_next_point();
  std::uint32_t escape_livelock(const Choice& choice, std::uint32_t chosen);

  base::Arena& arena_;
  /// The results of Counts, by kind and `stores_are_immediate`, one bit for each order. Read at every operation.
  std::uint8_t counts_[kinds][2] = {};
  static_assert(orders <= 8);
  base::Random random_;
  base::ArenaVector<ActorPriority>
      threads_;  ///< by Option::actor(); entries may be of an older execution: see ActorPriority
  std::uint32_t execution_ = 0;
  std::uint32_t points_[max_points] = {};
  std::uint32_t point_count_ = 0;
  std::uint32_t next_point_ = 0;  ///< the smallest point above number_; 0: none
  std::uint32_t number_ = 0;
  std::int64_t lowest_ = 0;
  bool stores_are_immediate_ = false;
  std::uint32_t runner_ = no_actor;  ///< Option::actor() that was chosen last, `run_` times in a row
  std::uint64_t run_ = 0;
  std::uint64_t patience_ = 0;
  std::uint64_t escapes_ = 0;
};

}  // namespace heddle::strategies
