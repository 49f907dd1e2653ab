// A portfolio that learns where it is used: one who runs all executions, and nobody to wait for. The driver of several
// workers does the same with their sums (campaign/rounds.hpp).
#pragma once

#include "strategies/learner.hpp"

namespace heddle::strategies {

class LocalRounds {
 public:
  /// `totals` are empty; `first` is the first execution.
  LocalRounds(Portfolio& portfolio, Totals& totals, std::uint64_t first)
      : portfolio_(portfolio), totals_(totals), learner_(portfolio.scope()), end_(round_end(first)) {}

  /// Before every execution. True: a round was over, and the portfolio has another plan now.
  bool begin_execution(std::uint64_t number) {
    if (number < end_) [[likely]]
      return false;
    learner_.learn(totals_);
    portfolio_.use(learner_.plan());
    end_ = round_end(number);
    return true;
  }
  const PortfolioPlan& plan() const { return learner_.plan(); }

  /// After the execution that began last.
  void add_execution(std::uint64_t number, bool is_buggy) {
    totals_.add_execution(portfolio_.assignment_of(number), is_buggy, portfolio_.counted());
  }
  /// What it was the first to show.
  void add_news(std::uint64_t number, std::uint64_t graphs, std::uint64_t findings) {
    if (graphs + findings == 0) return;
    const Assignment drawn = portfolio_.assignment_of(number);
    totals_.add(drawn, &Totals::Sums::graphs, graphs);
    totals_.add(drawn, &Totals::Sums::findings, findings);
  }

 private:
  Portfolio& portfolio_;
  Totals& totals_;
  Learner learner_;
  std::uint64_t end_;
};

}  // namespace heddle::strategies
