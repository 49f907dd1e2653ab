// Learns what pays. After each round of executions it gets the sums of all of them, by the values that they drew from
// the lots of the portfolio (strategies/portfolio.hpp), and makes the plan of the next round.
//
// Two things pay: showing a bug, and showing something new. Once there are buggy executions, most of the budget goes to
// the values that may still be the ones that show bugs most often, as far as the numbers can tell; the rest, and all of
// it before the first bug, is shared by what was new lately. No value in use gets less than a floor.
//
// Everything here is a function of the sums, and the sums do not depend on the number of workers.
#pragma once

#include <array>
#include <cstdint>

#include "strategies/portfolio.hpp"

namespace heddle::campaign {

/// The end of the round that execution `number` belongs to. Two rounds an octave: those who wait for each other do so
/// often in the beginning, when everything is to be learnt, and then more and more seldom. The last round has no end.
std::uint64_t round_end(std::uint64_t number);

class Learner {
 public:
  /// Of the executions that drew one value, from the first on.
  struct Sums {
    std::uint64_t executions = 0;
    std::uint64_t buggy = 0;
    std::uint64_t graphs = 0;    ///< that were seen there first
    std::uint64_t findings = 0;  ///< that were met there first
  };
  struct Lengths {
    std::array<std::uint64_t, strategies::length_classes> executions{};
    std::uint64_t longest = 0;
  };
  struct Totals {
    std::array<std::array<Sums, strategies::most_values>, strategies::lot_count> sums{};
    std::array<Lengths, strategies::member_count> lengths{};

    Sums& of(strategies::Lot lot, std::size_t value) { return sums[static_cast<std::size_t>(lot)][value]; }
    const Sums& of(strategies::Lot lot, std::size_t value) const { return sums[static_cast<std::size_t>(lot)][value]; }
  };

  explicit Learner(const strategies::PortfolioScope& scope) : scope_(scope), plan_(strategies::first_plan(scope)) {}

  const strategies::PortfolioPlan& plan() const { return plan_; }
  const strategies::PortfolioScope& scope() const { return scope_; }
  /// The round is over; these are the totals now.
  void learn(const Totals& totals);

 private:
  /// What was new lately: the newest round counts in full, the one before by half, and so on.
  struct News {
    double executions = 0;
    double found = 0;
  };

  /// How many of the executions are buggy, and how sure that is.
  struct Rate {
    double mean;
    double variance;
  };

  static Rate rate_of(const Sums& sums);
  static double may_be_best(const Rate& rate, const Rate& best);
  /// That which the value can reach.
  Rate bug_rate(strategies::Lot lot, std::size_t value, const Totals& totals) const;
  void share_out(strategies::Lot lot, const Totals& totals);

  strategies::PortfolioScope scope_;
  strategies::PortfolioPlan plan_;
  Totals before_;
  std::array<std::array<News, strategies::most_values>, strategies::lot_count> news_{};
};

}  // namespace heddle::campaign
