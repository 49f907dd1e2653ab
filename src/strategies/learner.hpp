// Learns what pays. After each round of executions it gets the sums of all of them, by the values that they drew from
// the lots of the portfolio (strategies/portfolio.hpp), and makes the plan of the next round.
//
// Two things pay: showing a bug, and showing something new. Once there are buggy executions, most of the budget goes to
// the values that may still be the ones that show bugs most often, as far as the numbers can tell; the rest, and all of
// it before the first bug, is shared by what was new lately. No value in use gets less than a floor.
//
// Everything here is a function of the sums, and the sums do not depend on the number of workers. The driver learns for
// all workers of a campaign (campaign/rounds.hpp), a heddle::check for itself (strategies/local_rounds.hpp).
#pragma once

#include <array>
#include <cstdint>

#include "strategies/portfolio.hpp"

namespace heddle::strategies {

/// The end of the round that execution `number` belongs to. Two rounds an octave: those who wait for each other do so
/// often in the beginning, when everything is to be learnt, and then more and more seldom. The last round has no end.
std::uint64_t round_end(std::uint64_t number);

/// What came of executions, by what they drew. Plain bytes, and zero is where it starts: a worker's own are in the
/// channel.
struct Totals {
  /// Of the executions that drew one value, from the first on.
  struct Sums {
    std::uint64_t executions = 0;
    std::uint64_t buggy = 0;
    std::uint64_t graphs = 0;    ///< that were seen there first
    std::uint64_t findings = 0;  ///< that were met there first
  };
  struct Lengths {
    std::array<std::uint64_t, length_classes> executions{};
    std::uint64_t longest = 0;
  };

  std::array<std::array<Sums, most_values>, lot_count> sums{};
  std::array<Lengths, member_count> lengths{};

  Sums& of(Lot lot, std::size_t value) { return sums[static_cast<std::size_t>(lot)][value]; }
  const Sums& of(Lot lot, std::size_t value) const { return sums[static_cast<std::size_t>(lot)][value]; }

  /// An execution that drew this; `length` as Portfolio::counted.
  void add_execution(const Assignment& drawn, bool is_buggy, std::uint32_t length);
  void add(const Assignment& drawn, std::uint64_t Sums::*what, std::uint64_t number = 1);
  Totals& operator+=(const Totals& other);
};

class Learner {
 public:
  explicit Learner(const PortfolioScope& scope);

  const PortfolioPlan& plan() const { return plan_; }
  const PortfolioScope& scope() const { return scope_; }
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

  static Rate rate_of(const Totals::Sums& sums);
  static double may_be_best(const Rate& rate, const Rate& best);
  /// That which the value can reach.
  Rate bug_rate(Lot lot, std::size_t value, const Totals& totals) const;
  void share_out(Lot lot, const Totals& totals);
  /// How many values of the lot there can be.
  std::size_t values_that_differ(Lot lot) const;

  PortfolioScope scope_;
  PortfolioPlan plan_;
  std::array<std::size_t, lot_count> in_use_{};  ///< the first so many values of each lot
  Totals before_;
  std::array<std::array<News, most_values>, lot_count> news_{};
};

}  // namespace heddle::strategies
