// Looks for the simplest execution that shows a finding. It is a strategy: each execution tries a simpler schedule than
// the best one so far, and the caller says afterwards whether the execution showed the finding, and what it cost.
//
// The search is delta debugging (Zeller and Hildebrandt, 2002) on the stretches of the schedule and on its unusual
// choices. Leaving a stretch out lets its thread run later; joining it with the thread's next stretch lets that run
// earlier. Both take context switches away. Where neither helps any more, random schedules with fewer switches and
// fewer stale reads are tried, since delta debugging ends in local minima.
//
// All of it is a function of the trace and the budget, so the result is the same in every run.
#pragma once

#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "base/random.hpp"
#include "strategies/strategy.hpp"
#include "trace/decisions.hpp"
#include "trace/schedule.hpp"

namespace heddle::trace {

/// Many fields: the search over schedules, and the execution that follows the proposed one.
class Minimizer final : public strategies::Strategy,
                        public strategies::GraphReader,
                        public strategies::ExecutionControl {
 public:
  /// How much may be tried. The events are those of all executions together. An execution counts as many more as the
  /// first one made plain accesses.
  struct Budget {
    std::uint64_t executions;
    std::uint64_t events;
  };

  /// The first execution repeats `decisions`. What an execution did is written to `shared`, so that a process that
  /// forked the one that executes can read it. The other arena is for the search.
  Minimizer(std::span<const std::uint8_t> decisions, Budget budget, base::Arena& arena, base::Arena& shared);

  void set_graph(const graph::ExecutionGraph& graph) override { graph_ = &graph; }
  /// False: the search has ended.
  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const strategies::Choice& choice) override;
  void executed(const graph::Event& event) override;
  strategies::Facets facets() override { return {.graph_reader = this, .control = this}; }
  bool about_to_execute(graph::ThreadId, const strategies::PendingOperation&) override {
    return phase_ != Phase::repeat || !replayer_.diverged_at();
  }

  /// In the process that executes, after the execution. The plain accesses of the first execution are used.
  void set_outcome(bool shows_finding, const Cost& cost, std::uint64_t accesses);
  /// After that: learns from it. The search continues with the next begin_execution().
  void learn();
  /// The executions that follow repeat the best schedule.
  void settle();

  bool found() const { return has_best_; }
  const Cost& best_cost() const { return best_cost_; }
  const Cost& first_cost() const { return first_cost_; }
  std::uint64_t executions() const { return executions_; }
  /// The first execution was too long, or did not repeat the trace.
  bool is_refused() const { return is_refused_; }
  /// An execution that shows the finding had no stale reads and no unusual choices.
  bool shows_without_stale_reads() const { return shows_without_stale_reads_; }

 private:
  enum class Phase : std::uint8_t { repeat, drop_stretches, join_stretches, drop_exceptions, sample, settled };
  static constexpr std::size_t most_kept = 1 << 16;  ///< stretches, and exceptions, of one execution
  static constexpr std::size_t most_threads = 1 << 12;
  static constexpr std::uint32_t most_samples = 150;
  static constexpr std::uint32_t most_idle_choices = 64;

  /// What the newest execution did, and the threads that were met. In memory that processes share.
  struct Record {
    /// The canonical names of threads; the index is the minimizer's number of the thread. The graph's numbers would not
    /// do: they depend on the order in which earlier executions of this process created threads.
    std::uint64_t names[most_threads];
    std::uint32_t name_count;
    Cost cost;
    std::uint64_t accesses;
    bool shows_finding;
    bool is_too_long;
    std::uint32_t stretch_count;
    std::uint32_t exception_count;
    Stretch stretches[most_kept];
    Exception exceptions[most_kept];
  };

  // The search.
  bool propose();
  bool propose_without_stretches();
  bool propose_joined_stretches();
  bool propose_without_exceptions();
  bool propose_sample();
  void begin_round();
  void enter(Phase phase);
  bool is_over_budget() const { return executions_ >= budget_.executions || events_ >= budget_.events; }

  // Following the proposed schedule.
  std::uint32_t choose_actor(const strategies::Choice& choice);
  std::uint32_t choose_default_actor(const strategies::Choice& choice);
  std::uint32_t follow_exception(const strategies::Choice& choice);
  static std::uint32_t usual_option(const strategies::Choice& choice);
  /// The minimizer's number of a thread of the graph.
  std::uint32_t number_of(graph::ThreadId thread);
  std::uint32_t actor_of(const strategies::Option& option);
  std::uint32_t progress_of(std::uint32_t actor) const;
  void extend_stretch(std::uint32_t actor, std::uint32_t until);
  void record_exception(const strategies::Choice& choice, std::uint32_t index);

  Replayer replayer_;
  Budget budget_;
  base::Arena& arena_;
  const graph::ExecutionGraph* graph_ = nullptr;
  Record& record_;
  base::Random random_;

  Phase phase_ = Phase::repeat;
  std::size_t chunk_ = 0;
  std::size_t position_ = 0;
  bool has_improved_ = false;  ///< in this round of passes
  std::uint32_t samples_ = 0;
  Schedule best_;
  Schedule proposed_;
  Cost best_cost_;
  Cost first_cost_;
  bool has_best_ = false;
  bool is_refused_ = false;
  bool shows_without_stale_reads_ = false;
  std::uint64_t executions_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t accesses_ = 0;  ///< plain accesses of the first execution

  // Of the execution that runs.
  std::size_t active_ = 0;  ///< the stretch that is followed
  std::size_t first_open_ = 0;
  std::uint32_t idle_choices_ = 0;  ///< thread choices since the newest event
  std::size_t events_at_choice_ = 0;
  base::ArenaVector<std::uint32_t>
      numbers_;  ///< by the graph's number of a thread: the minimizer's, plus 1; 0: not met
  base::ArenaVector<std::uint32_t> threads_;  ///< by the minimizer's number: the graph's, plus 1; 0: not met
  base::ArenaVector<std::uint32_t> commits_;  ///< by thread: stores that have reached memory by internal steps
  std::uint32_t last_choice_thread_ = 0, last_choice_index_ = 0, last_choice_ordinal_ = 0;
  strategies::ChoiceKind last_choice_kind_ = strategies::ChoiceKind::thread;
};

}  // namespace heddle::trace
