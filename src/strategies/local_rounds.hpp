// The rounds of a portfolio in a process that runs all executions itself: it learns from its own totals. In a campaign
// with several workers the driver learns from their sums (campaign/learning/learning_rounds.hpp).
#pragma once

#include <algorithm>

#include "strategies/learner.hpp"
#include "strategies/local_corpus.hpp"

namespace heddle::strategies {

class LocalRounds {
 public:
  /// `totals` are empty; `first` is the first execution. `corpus` is null if no strategy uses one.
  LocalRounds(Portfolio& portfolio, Totals& totals, std::uint64_t first, LocalCorpus* corpus = nullptr)
      : portfolio_(portfolio), totals_(totals), corpus_(corpus), learner_(portfolio.scope()), end_(round_end(first)),
        corpus_end_(corpus == nullptr ? end_ : corpus_round_end(first)) {
    if (corpus_ != nullptr) portfolio_.set_corpus(corpus_->corpus(), plain_sites);
  }

  /// Called before every execution. True: a new round begins, and the portfolio has a new plan.
  bool begin_execution(std::uint64_t number) {
    if (number < end_ && number < corpus_end_) [[likely]]
      return false;
    if (corpus_ != nullptr) {
      corpus_->end_round([this](std::uint64_t earlier) { return portfolio_.continues_an_entry(earlier); });
      corpus_end_ = corpus_round_end(number);
    }
    if (number < end_) return false;
    learner_.learn(totals_);
    portfolio_.use(learner_.plan());
    end_ = round_end(number);
    return true;
  }
  const PortfolioPlan& plan() const { return learner_.plan(); }
  LocalCorpus* corpus() { return corpus_; }

  /// Counts the execution that began last.
  void add_execution(std::uint64_t number, bool is_buggy) {
    totals_.add_execution(portfolio_.assignment_of(number), is_buggy, portfolio_.observation());
  }
  /// Counts the graphs and findings that this execution was the first to show.
  void add_news(std::uint64_t number, std::uint64_t graphs, std::uint64_t findings) {
    if (graphs + findings == 0) return;
    const Assignment drawn = portfolio_.assignment_of(number);
    totals_.add(drawn, &Totals::Sums::graphs, graphs);
    totals_.add(drawn, &Totals::Sums::findings, findings);
  }

 private:
  Portfolio& portfolio_;
  Totals& totals_;
  LocalCorpus* corpus_;
  Learner learner_;
  std::uint64_t end_;         ///< of the learner's round
  std::uint64_t corpus_end_;  ///< of the corpus's round
};

}  // namespace heddle::strategies
