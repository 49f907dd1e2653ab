// The rounds of a strategy that learns: who waits for the next one, what came of the last, and the plan of the next.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "campaign/channel_memory.hpp"
#include "findings/results.hpp"
#include "strategies/learner.hpp"

namespace heddle::campaign {

/// The graphs of all workers, each once.
class GraphSet {
 public:
  /// Those of `records` that are new, each with the first execution that showed it. In time that is linear in
  /// what there is already, so it is for many at a time.
  std::vector<channel::GraphRecord> add(std::vector<channel::GraphRecord> records);
  std::uint64_t size() const { return hashes_.size(); }
  /// Equal for equal sets, up to collisions.
  std::uint64_t hash() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t graph : hashes_) sum += graph;
    return sum;
  }

 private:
  std::vector<std::uint64_t> hashes_;  // in order
};

/// For the report.
findings::Learnt describe(const strategies::Totals& totals, const strategies::PortfolioPlan& plan);

class Rounds {
 public:
  /// Nothing is learnt here: it was, by a heddle::check.
  Rounds() : Rounds({}, 0, 0) {}
  /// `specification` as for strategies::make_strategy; one that does not learn has a single round without an end.
  Rounds(const std::string& specification, std::uint64_t seed, std::uint64_t first_execution);

  bool learns() const { return learner_.has_value(); }
  std::uint32_t number() const { return number_; }
  /// For a worker that starts now.
  void announce(ChannelMemory& channel) const;
  /// What an execution of this round uses, as --strategy takes it; empty if nothing is learnt.
  std::string strategy_of(std::uint64_t execution) const;
  /// Does the worker wait for the round after this one?
  bool is_awaited_by(const ChannelMemory& channel) const;

  /// What a worker that is over counted, and an execution that its worker did not survive.
  void add_worker(const ChannelMemory& channel);
  void add_lost_execution(std::uint64_t execution, bool is_buggy);
  /// Graphs that were new in this round.
  void add_graphs(const std::vector<channel::GraphRecord>& fresh);
  /// Every finding so far, by key, with the first execution that showed it.
  void see_findings(const std::map<std::uint64_t, findings::Finding>& findings);

  /// The round is over: what the workers that wait for the next one counted, and the next.
  void next(const std::vector<ChannelMemory*>& waiting);

  /// For the report; call it when all workers have been added.
  findings::Learnt learnt() const;

 private:
  strategies::Assignment assignment_of(std::uint64_t execution) const {
    return strategies::assign(learner_->plan(), learner_->scope(), seed_, execution);
  }

  std::uint64_t seed_;
  std::uint32_t number_ = 1;
  std::uint64_t begin_;
  std::uint64_t end_;
  std::optional<strategies::Learner> learner_;
  strategies::Totals totals_;  ///< of workers that are over, of lost executions, and what was new
  std::map<std::uint64_t, std::uint64_t> findings_seen_;
};

}  // namespace heddle::campaign
