// Merges the results of the workers. The merged result does not depend on the number of workers or on their speed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "campaign/learning/learning_rounds.hpp"
#include "campaign/state/campaign_state.hpp"
#include "campaign/workers/worker_process.hpp"
#include "findings/results.hpp"
#include "findings/suppressions.hpp"
#include "findings/symbolizer.hpp"

namespace heddle::campaign {

class ResultMerger {
 public:
  /// Findings that `suppressions` match are counted, but are no bugs. Null: there are none.
  explicit ResultMerger(LearningRounds& rounds, const findings::Suppressions* suppressions = nullptr)
      : rounds_(rounds), suppressions_(suppressions) {}

  /// Adds the findings that a worker announced since the last call for it. `modules` are those of its process.
  void add_findings(std::vector<findings::Finding> findings, const std::shared_ptr<const findings::ModuleMap>& modules);
  /// Adds the counters and graphs of a worker that has ended, and the counts of its findings since their announcement.
  /// `numbered` lists its findings in the order of their announcement, with the counts that add_findings() received.
  struct Announced {
    std::uint64_t key;
    std::uint64_t count;
    std::uint64_t first_count;
  };
  void add_worker(ChannelMemory& channel, const std::vector<Announced>& numbered);
  /// Adds what a worker of a shared search (campaign/shared_search.hpp), which has ended, says about its process.
  void add_process(ChannelMemory& channel);
  void add_clients(ChannelMemory& channel);
  /// Adds the executions of a shared search.
  void add_search_part(SearchPart part);
  struct SearchSummary {
    bool is_finished = false;
    double estimate = 0;
    double explored = 0;
  };
  void add_search_summary(const SearchSummary& summary);
  /// Sets whether a suppression matches the finding.
  void suppress(findings::Finding& finding);
  /// Adds the results of an exhaustive search of `auto`. Its findings have been added.
  void add_search(ChannelMemory& channel, const findings::Search& search, const std::vector<Announced>& numbered,
                  const Counters& counters);
  /// Adds the counters of a worker whose channel the program has overwritten.
  void add_counters(const Counters& counters);
  /// Adds an execution in which the worker died.
  void add_lost_execution(findings::Finding finding);
  /// Adds an execution that ended the process of the worker, as the program may do.
  void add_ordinary_end(std::uint64_t execution);
  /// Begins the next round for these workers, which wait for it. Their findings have been added.
  void next_round(const std::vector<ChannelMemory*>& waiting);

  /// The smallest number of an execution with a bug; nothing if no execution had one.
  std::optional<std::uint64_t> first_buggy_execution() const;
  std::uint64_t bugs() const;
  /// The limits that executions have reached.
  std::set<findings::LimitKind> limits() const;
  /// The findings that are new, or that an earlier execution has shown, since the last call.
  std::vector<const findings::Finding*> take_changed();
  const findings::Statistics& statistics() const { return results_.statistics; }
  /// Of the workers that have ended; empty: not known.
  run::Isolation isolation() const { return results_.isolation; }

  /// What the samples came to, for a merger of several campaigns. Call it when all workers have been added.
  SampledState state();
  /// Adds what another merger returned. All states are added before the first worker and before finish().
  void add_state(SampledState state);
  /// Continues from what a merger of the same campaign returned. The rounds have been restored.
  void restore(SampledState state);

  /// The numbers of the executions: first, first + stride, ...
  struct Numbers {
    std::uint64_t first = 0;
    std::uint64_t stride = 1;
    /// How many executions come before this one.
    std::uint64_t before(std::uint64_t execution) const { return (execution - first) / stride; }
  };
  /// The merged result. With `stop_on_bug`, it is that of a single worker that stopped at its first bug.
  findings::Results finish(bool stop_on_bug, const Numbers& numbers);

 private:
  void merge(findings::Finding finding);
  void add_all_but_graphs(SampledState& state);
  void update_counts(const ChannelMemory& channel, const std::vector<Announced>& numbered);
  void add_searched_graphs();
  void forget_later_than(std::uint64_t execution, const Numbers& numbers);
  findings::Coverage coverage(const Numbers& numbers) const;

  void learn_what_was_new();
  void take_suppressed();

  LearningRounds& rounds_;
  const findings::Suppressions* suppressions_;
  findings::Symbolizer symbolizer_;
  findings::Results results_;
  std::map<std::uint64_t, findings::Finding> findings_;
  std::set<std::uint64_t> changed_;  ///< keys
  ShownGraphs graphs_;
  std::vector<channel::GraphRecord> new_graphs_;       ///< of this round
  std::vector<channel::GraphRecord> first_shown_;      ///< of each graph
  std::vector<channel::GraphRecord> searched_graphs_;  ///< of the searches of `auto`; samples may have shown them, too
  std::unordered_map<std::uint64_t, std::uint64_t> frequencies_;  ///< of graphs, if the strategy does not learn
  findings::Learnt learnt_;                                       ///< of the states that were added
  CorpusSummary corpus_;                                          ///< of the states that were added
};

}  // namespace heddle::campaign
