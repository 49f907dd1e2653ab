// What a campaign has come to, as data that other processes and machines can merge: the results of a shard
// (campaign/state/shard_file.hpp), and the state that an interrupted campaign continues from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/exact_sum.hpp"
#include "campaign/workers/channel_memory.hpp"
#include "findings/results.hpp"

namespace heddle::campaign {

/// What the corpus of a strategy has seen, for the report. A strategy without a corpus leaves it empty.
struct CorpusSummary {
  struct Graph {
    std::uint64_t hash;
    std::uint64_t count;
  };
  bool exists = false;
  std::vector<Graph> graphs;
  std::vector<std::uint64_t> pairs;  ///< hashes of the reads-from pairs
  std::uint64_t plans = 0;
  std::uint64_t planned_events = 0;

  double mean_plan() const { return plans == 0 ? 0 : static_cast<double>(planned_events) / static_cast<double>(plans); }
  void add(const CorpusSummary& other);
};

/// The results of sampled executions.
struct SampledState {
  Counters counters;
  std::vector<findings::Finding> findings;  ///< also suppressed ones; with their names and notes
  std::vector<findings::ProgramOutput> outputs;
  /// Each graph once, with the first execution that showed it. `count` is 0 if the executions depend on each other.
  std::vector<channel::GraphRecord> graphs;
  run::Isolation isolation = run::Isolation::automatic;
  std::string isolation_reason;
  std::string warning;
  findings::ProofGaps gaps;
  findings::ProofGaps bounds;
  std::uint64_t findings_dropped = 0;
  findings::Search search;                     ///< of `auto`
  std::vector<channel::GraphRecord> searched;  ///< the graphs of that search
  findings::Learnt learnt;
  CorpusSummary corpus;
};

/// What the executions of a part of an exhaustive search came to. Numbers of executions count from the beginning of
/// the part.
struct SearchPart {
  Counters counters;
  std::uint64_t runs = 0;  ///< with abandoned ones
  std::uint64_t abandoned = 0;
  std::uint64_t dropped = 0;  ///< findings
  base::ExactSum explored;
  std::vector<findings::Finding> findings;

  /// Adds what comes behind this part in the order of the search.
  void append(SearchPart other);
};

/// A part of an exhaustive search that one shard explores as a whole.
struct SearchUnit {
  std::uint64_t number = 0;  ///< in the order of the search
  SearchPart part;
  bool is_explored = false;  ///< all of it
  bool is_cut = false;       ///< what ends the search is in this unit: units behind it do not count
  std::string failure;       ///< which is this failure; empty: another reason
};

/// A part of an exhaustive search, as campaign/shared_search.hpp divides it.
struct SavedTask {
  SearchUnit result;     ///< the number is that of its unit
  bool is_over = false;  ///< false: it is to be explored from its beginning
  std::string bytes;
  std::vector<channel::GiftRecord> gifts;
  double share = 1;
  std::uint64_t limit = 0;
};

/// Where a campaign that was interrupted continues.
struct ResumePoint {
  std::uint64_t next = 0;        ///< sampling: the executions below are done
  std::uint64_t end = 0;         ///< sampling: the executions from here on are not wanted
  std::uint64_t searches = 0;    ///< `auto`: the last search that has been made, a strategies::SearchStage
  std::string search;            ///< `auto`: the strategy of its searches
  std::string racy_sites;        ///< of the search, see run::RunSpecification
  std::string rounds;            ///< bytes of LearningRounds::save()
  bool is_estimated = false;     ///< exhaustive search
  std::vector<SavedTask> tasks;  ///< exhaustive search, in its order
  /// Exhaustive search: it is one with a parameter that the user did not give, but the program needs.
  bool has_begun_again = false;
};

/// The results of a whole campaign or of one of its shards.
struct CampaignState {
  SampledState sampled;
  bool is_exhaustive = false;
  double estimate = 0;           ///< exhaustive search
  std::uint64_t unit_count = 0;  ///< exhaustive search: of all shards
  std::vector<SearchUnit> units;
  bool interrupted = false;
  std::string stopped_by_limit;
  std::string failure;
  double seconds = 0;
  std::optional<ResumePoint> resume;
};

}  // namespace heddle::campaign
