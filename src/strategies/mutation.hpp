// Mutations: from the recording of an execution to the plan of another one. After "Fuzzing for concurrent programs
// under C/C++ weak memory model" (Li, Delft 2024), chapters 4 and 5.
//
//   trace     an execution up to one decision, which is taken differently: another thread, another write to read from,
//             another slot in modification order. Every second time, the decision is one that came after the decision
//             by which the execution differs from the one that it continued.
//   cuts      a read R takes another write S, also one that was executed later. A set of events that contains all po,
//             reads-from and synchronisation predecessors of its members is kept, without the successors of R:
//     revisit   what was executed before R, and the predecessors of S
//     minimal   the predecessors of R and those of S
//     maximal   everything but the successors of R
//
// Without R, the kept events are a prefix of a consistent graph. R comes last, so no event depends on it, and the
// model's rule for an event that is added last decides: S is not older than what the thread of R knows
// (RecordedEvent::floor), and no other kept rmw reads from S if R may be one. rc11's axiom for seq_cst events is
// checked when R is executed: if psc would have a cycle, the model does not offer S, and the inner strategy draws
// another write. Under c11 a seq_cst R takes the newest write that seq_cst events have seen, so what has seen a newer
// one than S is not kept. Synchronisation edges keep pairs together: create and start, finish and join, unlock and
// lock.
//
// Stores are mutated, too: a store W comes last and follows another write P in modification order.
#pragma once

#include <cstring>

#include "base/arena.hpp"
#include "base/random.hpp"
#include "strategies/execution_plan.hpp"
#include "strategies/recording.hpp"

namespace heddle::strategies {

enum class Mutation : std::uint8_t { trace, revisit, minimal, maximal };
inline constexpr std::size_t mutation_count = 4;

/// A set of positions. It may be asked for no_position, which it never contains: place 0 stands for that.
class PositionSet {
 public:
  /// Makes room for positions below `size`. What the set contains is indeterminate until it is written.
  void resize(base::Arena& arena, std::size_t size) {
    marks_.resize(arena, size + 1);
    marks_[0] = 0;
  }
  bool contains(std::uint32_t position) const { return marks_[position + 1U] != 0; }
  void set(std::uint32_t position, bool is_member) { marks_[position + 1U] = is_member ? 1 : 0; }
  /// Sets the positions from `begin` up to, not including, `end`.
  void fill(std::size_t begin, std::size_t end, bool are_members) {
    std::memset(marks_.begin() + begin + 1, are_members ? 1 : 0, end - begin);
  }

 private:
  base::ArenaVector<std::uint8_t> marks_;  ///< by position + 1
};

class Mutator {
 public:
  /// `arena` outlives executions: it holds the scratch memory.
  explicit Mutator(base::Arena& arena) : arena_(arena) {}

  /// Writes the plan of the whole recording, unchanged.
  void repeat(const Recording& recording, Plan& plan);
  /// Draws a mutation of the recording and writes its plan. Decisions are taken in turn; `turn` is the number of the
  /// execution. So a recording that most executions continue is changed everywhere before it is changed anywhere twice.
  /// Returns false, with an empty plan, if it found no mutation.
  bool mutate(const Recording& recording, Mutation mutation, std::uint64_t turn, base::Random& random, Plan& plan);
  /// Counts the writes that each target could take in a cut, so that every pair is equally likely. Removes the targets
  /// that no cut can change: in a chain of read-modify-writes, these are most of its events.
  void count_targets(Recording& recording);

 private:
  using Events = std::span<const RecordedEvent>;

  struct Pair {
    std::uint32_t target;
    std::uint32_t number;
  };

  bool is_decision(const Recording& recording, std::uint64_t number) const;
  std::uint32_t first_own(const Recording& recording) const;
  std::uint32_t draw_decision(const Recording& recording, std::uint64_t turn, base::Random& random);
  bool mutate_trace(const Recording& recording, std::uint64_t turn, base::Random& random, Plan& plan);
  static Pair find_pair(const Recording& recording, std::uint64_t number);
  bool cut(const Recording& recording, Mutation mutation, base::Random& random, Plan& plan);
  bool was_enabled_at(const Recording& recording, std::uint32_t event, std::uint32_t position) const;
  bool can_switch_at(const Recording& recording, std::uint32_t position) const;
  bool has_other_write_before(const Recording& recording, std::uint32_t position) const;

  void mark_successors(const Recording& recording, std::uint32_t target);
  void mark_predecessors(const Recording& recording, std::uint32_t of);
  /// Marks the successors of the target, too.
  void list_candidates(const Recording& recording, std::uint32_t target);
  bool keep(const Recording& recording, Mutation mutation, std::uint32_t target, std::uint32_t chosen);
  bool drop_newer_accesses(const Recording& recording, std::uint32_t target, std::uint32_t chosen);
  void write_steps(const Recording& recording, std::uint32_t end, std::uint32_t last, Plan& plan);
  void write_step(const Recording& recording, const RecordedEvent& event, PlannedStep& step) const;
  std::uint64_t predecessor_of(const RecordedEvent& store) const;
  std::uint64_t name_at(std::uint32_t position) const {
    return position == no_position ? initial_write : events_[position].name;
  }

  base::Arena& arena_;
  Events events_;
  PositionSet successors_;  ///< R itself, and what depends on it
  PositionSet kept_;
  base::ArenaVector<std::uint32_t> unvisited_;   ///< kept positions whose predecessors are not kept yet
  base::ArenaVector<std::uint32_t> candidates_;  ///< positions, no_position: the initial write; or decisions
  base::ArenaVector<std::uint32_t> placed_;      ///< positions of the stores and rmws of the plan so far
  base::ArenaVector<std::uint32_t> newest_;      ///< by location: the newest write of the plan so far
};

}  // namespace heddle::strategies
