// The rounds of a strategy that learns, for all workers of a campaign: at the end of a round every worker waits, the
// driver sums up the totals of all workers, and announces the plan of the next round.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "campaign/learning/campaign_corpus.hpp"
#include "campaign/learning/corpus_folder.hpp"
#include "campaign/state/campaign_state.hpp"
#include "campaign/workers/channel_memory.hpp"
#include "findings/results.hpp"
#include "strategies/learner.hpp"

namespace heddle::campaign {

/// The set of the graphs that the workers have shown.
class ShownGraphs {
 public:
  /// Adds graphs. Returns the new ones, each with the first execution that showed it. Takes time linear in the size of
  /// the set, so callers add many records at a time.
  std::vector<channel::GraphRecord> add(std::vector<channel::GraphRecord> records);
  std::uint64_t size() const { return hashes_.size(); }
  /// Equal for equal sets; different for different sets, up to collisions.
  std::uint64_t hash() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t graph : hashes_) sum += graph;
    return sum;
  }

 private:
  std::vector<std::uint64_t> hashes_;  ///< sorted
};

/// What was learnt, for the report.
findings::Learnt describe(const strategies::Totals& totals, const strategies::PortfolioPlan& plan);

class LearningRounds {
 public:
  /// One round without an end: a heddle::check has learnt in its own process.
  LearningRounds();
  /// A strategy that does not learn has one round without an end.
  LearningRounds(const strategies::StrategySpecification& specification, std::uint64_t seed,
                 std::uint64_t first_execution);

  bool learns() const { return learner_.has_value(); }
  /// For the workers of other ranks. Null: nothing is learnt, or the strategy uses no corpus.
  const strategies::PortfolioPlan* plan() const { return learner_ ? &learner_->plan() : nullptr; }
  const strategies::Corpus* corpus() const { return corpus_ ? &corpus_->corpus() : nullptr; }
  std::uint64_t begin() const { return begin_; }
  /// Do executions not depend on the results of others?
  bool has_independent_executions() const { return is_sampling_ && !learns(); }
  std::uint32_t number() const { return number_; }
  /// The first execution behind this round.
  std::uint64_t end() const { return end_; }
  /// The first executions behind this round are not part of any round: a search of `auto` has used their numbers.
  void skip(std::uint64_t executions) { skipped_ += executions; }
  /// The first execution behind them.
  std::uint64_t end_of_skipped() const { return end_ + skipped_; }
  /// Keeps the corpus in a folder, and begins with what the folder holds. Returns a problem, or what was skipped.
  Result<std::string> keep_corpus_in(const std::string& path, const ProgramFile& program);
  /// Ends the last round. Call it when all workers have been added. Returns why the corpus could not be written.
  Outcome finish();
  CorpusSummary corpus_summary() const;
  /// The state of the rounds, as bytes. All workers have ended and have been added.
  std::string save() const;
  /// Of rounds in which nothing was executed. Throws BadValue if the bytes are not what save() writes.
  void restore(std::string_view bytes);
  /// Tells the current round to a worker that starts.
  void announce(ChannelMemory& channel) const;
  /// The strategy and parameters of an execution of this round, as --strategy takes them; empty if nothing is learnt.
  std::string strategy_of(std::uint64_t execution) const;
  /// Does the worker wait for the round after this one?
  bool is_awaited_by(const ChannelMemory& channel) const;

  /// Adds the totals of a worker that has ended.
  void add_worker(ChannelMemory& channel);
  /// Adds an execution whose worker died.
  void add_lost_execution(std::uint64_t execution, bool is_buggy);
  /// Adds graphs that were new in this round.
  void add_graphs(const std::vector<channel::GraphRecord>& fresh);
  /// Adds the findings that are new in this round; `findings` are all so far, by key.
  void see_findings(const std::map<std::uint64_t, findings::Finding>& findings);

  /// CampaignCorpus::end_of_needed_recordings(); 0: the strategy uses no corpus.
  std::uint64_t end_of_needed_recordings(const std::vector<ChannelMemory*>& waiting) const {
    return corpus_ ? corpus_->end_of_needed_recordings(waiting) : 0;
  }
  /// Ends the round: learns from the totals of all workers, and announces the next round to those that wait for it.
  void next(const std::vector<ChannelMemory*>& waiting);

  /// What was learnt, for the report. Call it when all workers have been added.
  findings::Learnt learnt() const;

 private:
  bool continues_an_entry(std::uint64_t execution) const {
    const auto only = learner_->scope().only();
    return strategies::registered_strategies()[only ? *only : assignment_of(execution).strategy()]->uses_corpus;
  }
  void set_ends();
  strategies::Assignment assignment_of(std::uint64_t execution) const {
    return strategies::assign(learner_->plan(), learner_->scope(), seed_, execution);
  }

  std::uint64_t seed_;
  bool is_sampling_ = false;
  std::uint32_t number_ = 1;
  std::uint64_t begin_;
  std::uint64_t end_;
  std::uint64_t skipped_ = 0;  ///< executions behind the end that no round contains
  std::uint64_t learner_end_;  ///< of the round that the learner sees: it may contain several rounds of the corpus
  std::optional<strategies::Learner> learner_;
  std::optional<CorpusFolder> folder_;
  std::unique_ptr<CampaignCorpus> corpus_;  ///< null: the strategy uses none
  strategies::Totals totals_;               ///< of ended workers and lost executions, and all new graphs and findings
  std::map<std::uint64_t, std::uint64_t> findings_seen_;  ///< by key: the execution that showed it first
};

}  // namespace heddle::campaign
