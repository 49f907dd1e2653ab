#pragma once

#include <cstdint>

#include "base/arena.hpp"
#include "base/random.hpp"
#include "strategies/cycle_table.hpp"
#include "strategies/strategy.hpp"

namespace heddle::strategies {

extern const StrategyDescriptor directed_strategy;

/// Many fields: parameters, the cycle, and how far the execution has come with it.
class DirectedStrategy final : public Strategy,
                               public GraphReader,
                               public Adjustable,
                               public CycleFollower,
                               public ExecutionControl {
 public:
  /// `arena` outlives executions.
  DirectedStrategy(std::uint64_t seed, base::Arena& arena) : seed_(seed), arena_(arena) {}

  void set_parameters(const ParameterValues& values) override;
  void set_graph(const graph::ExecutionGraph& graph) override { graph_ = &graph; }
  void set_cycles(const CycleTable& cycles, PendingLabels& labels) override {
    cycles_ = cycles.is_empty() ? nullptr : &cycles;
    labels_ = &labels;
  }
  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const Choice& choice) override;
  FastPath fast_path() override { return {.decider = this, .calls = {.end_execution = false, .escapes = false}}; }
  Facets facets() override {
    return {.graph_reader = this, .adjustable = this, .cycle_follower = this, .control = this};
  }
  bool about_to_execute(graph::ThreadId thread, const PendingOperation& operation) override;
  void executed(const graph::Event& event) override;

 private:
  using Pairs = std::uint32_t;  ///< a set of pairs of the cycle, one bit each
  static_assert(Cycle::most_pairs < 32);
  static constexpr Pairs no_pair = Pairs{1} << 31;  ///< in the role of an access that is not in the cycle

  /// What the cycle wants of an access: the pairs of which it is the first or the second access.
  struct Role {
    Pairs late = 0;
    Pairs early = 0;
  };
  struct PairProgress {
    bool is_known = false;  ///< the rest, up to `begun`, is about the thread's pending operation
    Role role;
    std::uint64_t paused_until = 0;  ///< logical time; 0: it is not paused
    /// The pairs whose first access the thread has executed, with effect: see record_first().
    Pairs begun = 0;
    graph::EventId firsts[Cycle::most_pairs] = {};  ///< of those pairs, if the access is in a store buffer
    Pairs buffered = 0;
  };
  /// A buffered store that is to reach memory late.
  struct DelayedStore {
    graph::ThreadId thread;
    std::uint32_t index;  ///< of its event
    graph::LocationId location;
    Pairs pairs;
    std::uint64_t until;
  };
  /// The second access of a pair whose first access the same thread has begun the pair with.
  struct Effect {
    std::uint32_t pair;
    graph::ThreadId thread;
    graph::LocationId location;
    graph::EventId event;
  };

  bool with_probability() { return static_cast<double>(random_.next() >> 11) * 0x1.0p-53 < probability_; }
  Pairs all_pairs() const { return no_pair | (cycle_ == nullptr ? 0 : (Pairs{1} << cycle_->size) - 1); }
  void draw_delays();
  PairProgress& state_of(graph::ThreadId thread);
  Role drawn_role(std::uint64_t thread, const PendingOperation& operation) const;
  Role role_of(graph::ThreadId thread, const PendingOperation& operation);
  PairProgress& look_at(graph::ThreadId thread, const PendingOperation& operation);
  Pairs begun_pairs(PairProgress& state) const;
  Pairs answered_pairs(Pairs pairs, graph::ThreadId thread, graph::LocationId location) const;
  bool is_early(PairProgress& state) const { return (state.role.early & begun_pairs(state)) != 0; }
  std::uint64_t wait_of(const Option& option);
  std::uint32_t choose_thread(const Choice& choice);
  std::uint32_t choose_early_or_newest(const Choice& choice);
  void record_first(const graph::Event& event, graph::EventId id, PairProgress& state);
  void record_second(const graph::Event& event, graph::EventId id, Pairs pairs);

  std::uint64_t seed_;
  base::Arena& arena_;
  double probability_ = 0.5;
  std::uint64_t given_delay_ = 0;  ///< 0: drawn for each execution
  const graph::ExecutionGraph* graph_ = nullptr;
  const CycleTable* cycles_ = nullptr;  ///< null: roles are drawn
  PendingLabels* labels_ = nullptr;

  // Of this execution:
  base::Random random_;
  std::uint64_t role_seed_ = 0;
  const Cycle* cycle_ = nullptr;
  Pairs single_ = 0;       ///< the pairs that are one access
  std::uint64_t now_ = 0;  ///< logical time: operations so far
  std::uint64_t delay_ = 0;
  std::uint64_t longest_delay_ = 0;
  bool draws_others_ = false;   ///< accesses without a part in the cycle are late or early, too
  bool knows_waits_ = false;    ///< late accesses wait for early ones, and only accesses of begun pairs are early
  bool pauses_stores_ = false;  ///< threads pause before late stores, too
  base::ArenaVector<PairProgress> threads_;
  base::ArenaVector<DelayedStore> delayed_;
  base::ArenaVector<Effect> effects_;
  base::ArenaVector<std::uint32_t> candidates_;  ///< scratch
};

}  // namespace heddle::strategies
