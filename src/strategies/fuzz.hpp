// Fuzzing over execution graphs: Algorithm 1 of "Fuzzing for concurrent programs under C/C++ weak memory model" (Li,
// Delft 2024). An execution continues an earlier one that showed something new: it follows a mutation of that execution
// (strategies/mutation.hpp), and an inner strategy decides the rest.
#pragma once

#include "base/random.hpp"
#include "strategies/corpus.hpp"
#include "strategies/mutation.hpp"
#include "strategies/pctwm.hpp"
#include "strategies/random.hpp"
#include "strategies/strategy.hpp"

namespace heddle::strategies {

extern const StrategyDescriptor fuzz_strategy;

/// The rule of a corpus for a strategy with these parameters; nothing given: the defaults.
CorpusRule corpus_rule(const ParameterValues& given);

/// Many fields: parameters, the corpus, and the plan of the execution.
class FuzzStrategy final : public Strategy, public GraphReader, public Adjustable, public CorpusUser {
 public:
  /// `arena` outlives executions.
  FuzzStrategy(std::uint64_t seed, base::Arena& arena);

  void set_parameters(const ParameterValues& values) override;
  void set_graph(const graph::ExecutionGraph& graph) override { graph_ = &graph; }
  void set_corpus(Corpus& corpus, const SiteNames& sites) override {
    corpus_ = &corpus;
    sites_ = &sites;
  }
  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const Choice& choice) override;
  FastPath fast_path() override;
  Facets facets() override { return {.graph_reader = this, .adjustable = this, .corpus_user = this}; }
  void executed(const graph::Event& event) override;
  std::uint64_t escapes() const override { return pctwm_.escapes(); }
  std::span<const DetailRecord> details() const override { return details_.span(); }
  std::size_t planned_events() const override { return plan_->steps.size(); }
  std::size_t inherited_events() const override { return is_trace_ ? next_ : 0; }

  /// Follows this plan in the next execution, instead of one that begin_execution() makes. For tests.
  void follow(const Plan& plan) { given_plan_ = &plan; }
  /// Of the plan of this execution: how many steps were followed, and whether that was all.
  std::size_t followed() const { return next_; }
  bool followed_all() const { return next_ == plan_->steps.size(); }
  const Plan& plan() const { return *plan_; }

 private:
  std::uint32_t choose_thread(const Choice& choice);
  std::uint32_t choose_write(const Choice& choice);
  std::uint32_t choose_slot(const Choice& choice);
  std::uint32_t choose_detail(const Choice& choice);
  std::uint32_t choose_other(const Choice& choice, std::uint32_t excluded);
  std::uint32_t choose_without_plan(const Choice& choice);
  std::uint32_t leave_plan(const Choice& choice);
  std::uint64_t name_of(graph::ThreadId thread) const { return graph_->thread(thread).name; }
  /// The step that the operation of `thread` executes; null: it is not planned.
  const PlannedStep* planned(graph::ThreadId thread) const;
  bool is_as_planned(const graph::Event& event, const PlannedStep& step) const;
  /// The name by which plans know the event.
  std::uint64_t name_of(const graph::Event& event) const {
    if (!names_by_source_ || event.thread == graph::no_thread) return step_name(*graph_, event);
    return source_names_[static_cast<std::size_t>(&event - graph_->events().data())];
  }
  void name_by_source(const graph::Event& event);
  /// The steps before this one are looked at.
  std::size_t end_of_view() const { return next_ + farthest_ahead; }
  /// The step was executed, or is not waited for any more.
  void settle_step(std::size_t step) {
    if (step != next_)
      done_early_.push_back(arena_, static_cast<std::uint32_t>(step));
    else
      ++next_;
  }
  void skip_done() {
    while (next_ < plan_->steps.size() && is_done(next_)) ++next_;
  }
  bool is_done(std::size_t step) const {
    for (const std::uint32_t early : done_early_)
      if (early == step) return true;
    return false;
  }

  /// How far in the plan an event that comes early is looked for.
  static constexpr std::size_t farthest_ahead = 64;

  std::uint64_t seed_;
  base::Arena& arena_;
  const graph::ExecutionGraph* graph_ = nullptr;
  Corpus* corpus_ = nullptr;
  const SiteNames* sites_ = &plain_sites;
  Mutation mutation_ = Mutation::trace;
  Mutator mutator_;
  RandomStrategy random_;
  PctwmStrategy pctwm_;
  Strategy* inner_ = &random_;
  base::Random dice_;  ///< of mutations, and of the decisions that a plan leaves open
  Plan own_plan_;
  const Plan* plan_ = &own_plan_;
  const Plan* given_plan_ = nullptr;
  std::size_t next_ = 0;               ///< the next step of the plan
  std::uint32_t choices_at_step_ = 0;  ///< of threads, since a step of the plan was executed
  bool follows_ = false;
  bool is_trace_ = false;         ///< the plan is the beginning of an execution, in the order of that execution
  bool names_by_source_ = false;  ///< the plan is of another build of the program
  SourceNaming naming_;
  base::ArenaVector<std::uint64_t> source_names_;  ///< names_by_source_: by event id
  base::ArenaVector<std::uint32_t> done_early_;    ///< steps that were executed before their turn
  base::ArenaVector<DetailRecord> details_;        ///< of this execution
};

}  // namespace heddle::strategies
