// Learns which strategies and parameter values pay. After each round of executions the learner gets the totals of all
// executions, by the values that they drew (strategies/portfolio.hpp), and makes the plan of the next round.
//
// Two things pay: executions with a bug, and executions that show something new. Before the first bug, the shares
// follow what was new lately. After it, most of the budget goes to the values that may have the best rate of bugs, as
// far as the totals can tell. No value in use gets less than a floor.
//
// A plan is a function of the totals, and the totals do not depend on the number of workers. A campaign's driver learns
// for all of its workers (campaign/learning/learning_rounds.hpp), a heddle::check for itself
// (strategies/local_rounds.hpp).
#pragma once

#include <array>
#include <cstdint>

#include "strategies/portfolio.hpp"

namespace heddle::strategies {

/// The end of the round that execution `number` belongs to. There are two rounds an octave: early rounds are short,
/// when there is most to learn, and workers wait for each other less and less often. The last round has no end.
std::uint64_t round_end(std::uint64_t number);

/// What came of executions, by the values that they drew. Trivially copyable, and all zero at the start: each worker
/// keeps its own in the channel.
struct Totals {
  /// Of all executions that drew one value.
  struct Sums {
    std::uint64_t executions = 0;
    std::uint64_t buggy = 0;
    std::uint64_t graphs = 0;    ///< graphs that no earlier execution had shown
    std::uint64_t findings = 0;  ///< findings that no earlier execution had shown
  };
  /// Of Observation::length.
  struct Lengths {
    std::array<std::uint64_t, length_classes> executions{};
    std::uint64_t longest = 0;
  };

  std::array<std::array<Sums, most_values>, most_draws> sums{};
  std::array<Lengths, most_strategies> lengths{};
  ThreadTotals threads{};

  void add_execution(const Assignment& drawn, bool is_buggy, const Observation& observation);
  void add(const Assignment& drawn, std::uint64_t Sums::*what, std::uint64_t number = 1);
  Totals& operator+=(const Totals& other);
};

class Learner {
 public:
  /// What was new lately: the newest round counts in full, the round before it by half, and so on.
  struct News {
    double executions = 0;
    double found = 0;
  };
  /// Everything that the learner knows, for a campaign that continues in another process.
  struct Memory {
    PortfolioPlan plan;
    std::array<std::size_t, most_draws> in_use;
    Totals before;
    std::array<std::array<News, most_values>, most_draws> news;
  };

  explicit Learner(const PortfolioScope& scope);
  void save(Memory& memory) const {
    memory.plan = plan_;
    memory.in_use = in_use_;
    memory.before = before_;
    memory.news = news_;
  }
  void restore(const Memory& memory) {
    plan_ = memory.plan;
    in_use_ = memory.in_use;
    before_ = memory.before;
    news_ = memory.news;
  }

  const PortfolioPlan& plan() const { return plan_; }
  const PortfolioScope& scope() const { return scope_; }
  /// Makes the plan of the next round from the totals of all rounds so far.
  void learn(const Totals& totals);

 private:
  /// An estimate of the rate of buggy executions.
  struct Rate {
    double mean;
    double variance;
  };

  static Rate rate_of(const Totals::Sums& sums);
  static double may_be_best(const Rate& rate, const Rate& best);
  Rate bug_rate(std::size_t draw, std::size_t value, const Totals& totals) const;
  void set_shares(std::size_t draw, const Totals& totals);
  std::size_t useful_values(const Draw& draw) const;

  PortfolioScope scope_;
  PortfolioPlan plan_;
  std::array<std::size_t, most_draws> in_use_{};  ///< by draw: how many of its values are in use, from the first on
  Totals before_;                                 ///< at the end of the round before
  std::array<std::array<News, most_values>, most_draws> news_{};
};

}  // namespace heddle::strategies
