// Several strategies, and several values of their parameters, behind one strategy: every execution draws which of them
// it uses. It draws from shares. Between rounds of executions a learner sets the shares anew, from what paid so far
// (strategies/learner.hpp). Within a round the shares are fixed. So an execution is a function of the seed, its number
// and the plan of its round, and the plan is a function of earlier rounds: no worker's speed has an influence.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "strategies/registry.hpp"
#include "strategies/strategy.hpp"
#include "strategies/strategy_specification.hpp"

namespace heddle::strategies {

/// There are at most this many draws: the strategy, and the learnable parameters of all strategies.
inline constexpr std::size_t most_draws = 16;

/// A value that executions draw. Draw 0 is the strategy; each other draw is a learnable parameter of one strategy.
struct Draw {
  std::size_t strategy;        ///< its position in the registry; draw 0 concerns all of them
  std::size_t parameter;       ///< its position in the strategy's descriptor
  const Parameter* described;  ///< null for draw 0
  bool is_open;                ///< false: the user has fixed the value

  std::size_t value_count() const { return described == nullptr ? automatic_strategies() : described->values.size(); }
};
inline constexpr std::size_t strategy_draw = 0;

/// What executions draw, and what the user has fixed.
class PortfolioScope {
 public:
  /// All strategies, nothing fixed.
  PortfolioScope() : PortfolioScope(StrategySpecification{}) {}
  /// Of a specification that learns.
  explicit PortfolioScope(const StrategySpecification& specification);

  std::span<const Draw> draws() const { return {draws_, count_}; }
  /// The only strategy that is used, by its position in the registry; nothing: all are.
  std::optional<std::size_t> only() const { return only_; }
  /// Does a strategy that executions may draw continue earlier executions?
  bool uses_corpus() const;
  /// The values that the user gave to the parameters of only().
  const ParameterValues& given() const { return given_; }

 private:
  std::optional<std::size_t> only_;
  ParameterValues given_;
  Draw draws_[most_draws];
  std::size_t count_ = 0;
};

/// Lengths are counted in classes that grow with them, four an octave: then a distribution has a fixed size.
inline constexpr std::size_t length_classes = 128;
std::size_t length_class(std::uint32_t length);
/// The longest length of a class.
std::uint32_t longest_of_class(std::size_t length_class);

/// The shares from which the executions of a round draw. Trivially copyable: it travels through the channel.
struct PortfolioPlan {
  static constexpr std::uint32_t whole = 1 << 16;
  /// By draw and value. The shares of a draw sum up to `whole`.
  using Shares = std::uint32_t[most_draws][most_values];

  Shares news;             ///< for executions that look for something new; 0: the value is not in use
  Shares bugs;             ///< for executions that repeat what showed bugs
  std::uint32_t for_bugs;  ///< how many of `whole` executions draw from `bugs`
  /// The value of a parameter with Role::length, for each strategy.
  struct Length {
    std::uint32_t usual;    ///< the length of most executions; 0: not known yet
    std::uint32_t longest;  ///< the length of the longest execution
  };
  Length lengths[most_strategies];
  ThreadAverages threads;
};

/// The values that one execution drew, as positions among the draw's values.
struct Assignment {
  static constexpr std::uint8_t unused = 0xff;  ///< the draw concerns another strategy, or the user fixed its value
  std::uint8_t values[most_draws];
  bool takes_longest;  ///< use PortfolioPlan::Length::longest

  std::size_t strategy() const { return values[strategy_draw]; }
};

/// The plan of the first round, before anything is known: what suits most programs.
PortfolioPlan first_plan(const PortfolioScope& scope);
Assignment assign(const PortfolioPlan& plan, const PortfolioScope& scope, std::uint64_t seed, std::uint64_t number);
/// The parameters of the execution's strategy: drawn, given by the user, learnt, or the default.
ParameterValues parameters_of(const PortfolioPlan& plan, const PortfolioScope& scope, const Assignment& drawn);
/// What the execution uses. With the same seed, the execution of this specification that has the same number is the
/// same, unless the strategy has learnt the events of threads.
StrategySpecification specification_of(const PortfolioPlan& plan, const PortfolioScope& scope, const Assignment& drawn);

class Portfolio final : public Strategy, public GraphReader, public Adjustable, public CorpusUser {
 public:
  /// `arena` outlives executions.
  Portfolio(std::uint64_t seed, const PortfolioScope& scope, base::Arena& arena);
  // Its strategies refer to its plan.
  Portfolio(const Portfolio&) = delete;
  Portfolio& operator=(const Portfolio&) = delete;

  /// Sets the plan of the executions that begin from now on.
  void use(const PortfolioPlan& plan) { plan_ = plan; }
  const PortfolioScope& scope() const { return scope_; }
  std::uint64_t seed() const { return seed_; }
  Assignment assignment_of(std::uint64_t number) const {
    return number == newest_ ? drawn_ : assign(plan_, scope_, seed_, number);
  }
  /// Does the execution draw from the corpus?
  bool continues_an_entry(std::uint64_t number) const {
    return registered_strategies()[assignment_of(number).strategy()]->uses_corpus;
  }
  StrategySpecification specification_of(std::uint64_t number) const {
    return strategies::specification_of(plan_, scope_, assignment_of(number));
  }

  void set_graph(const graph::ExecutionGraph& graph) override;
  void set_corpus(Corpus& corpus, const SiteNames& sites) override;
  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const Choice& choice) override { return current_->strategy->choose(choice); }
  FastPath fast_path() override { return current_->strategy->fast_path(); }
  void executed(const graph::Event& event) override { current_->strategy->executed(event); }
  Facets facets() override {
    return {.graph_reader = this, .adjustable = this, .corpus_user = this, .portfolio = this};
  }
  Observation observation() override;
  std::span<const DetailRecord> details() const override;
  std::size_t planned_events() const override;
  std::size_t inherited_events() const override;
  std::uint64_t escapes() const override;

 private:
  struct Member {
    Strategy* strategy = nullptr;  ///< null: never used
    Facets facets = {};
  };
  std::uint64_t seed_;
  PortfolioScope scope_;
  PortfolioPlan plan_;
  Member members_[most_strategies] = {};      ///< by position in the registry
  std::uint64_t newest_ = ~std::uint64_t{0};  ///< the execution that began last
  Assignment drawn_ = {};                     ///< the values that it drew
  Member* current_ = nullptr;                 ///< the strategy that it uses
};

}  // namespace heddle::strategies
