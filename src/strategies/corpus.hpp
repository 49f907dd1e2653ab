// The corpus: recordings of executions that showed something new, from which later executions continue
// (strategies/fuzz.hpp). It changes only between rounds, so an execution is a function of the seed, its number and the
// rounds before: the number of workers and their speed have no influence.
//
// The keeper of the corpus judges the executions of a round when it has ended: the driver of a campaign for all
// workers, a heddle::check or a litmus test for itself. It learns of every execution, in the order of their numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/arena.hpp"
#include "strategies/mutation.hpp"
#include "strategies/recording.hpp"
#include "strategies/source_sites.hpp"
#include "strategies/strategy.hpp"

namespace heddle::strategies {

/// The corpus as executions see it. It lies in memory that the driver shares with a worker.
struct Corpus {
  static constexpr std::size_t most_entries = 512;
  /// As an entry: the execution starts from nothing.
  static constexpr std::uint32_t none = 0xffffffffU;
  static constexpr std::uint32_t whole = 1U << 20;

  /// Entries of another build are there twice. If only code generation has changed, events keep their numbers; if the
  /// source has changed, they are found by their place in it (strategies/source_sites.hpp).
  enum class Origin : std::uint32_t { this_build, other_build, other_build_by_source };

  struct Entry {
    std::uint64_t graph;      ///< hash
    std::uint64_t execution;  ///< that was recorded
    std::uint32_t end;        ///< the entry's share of `whole` ends here; shares lie one after another
    std::uint32_t round;      ///< the round in which its recording was written
    Origin origin;
  };

  /// What a worker may take for known without having met it.
  static constexpr std::size_t most_known_graphs = std::size_t{1} << 22;
  static constexpr std::size_t most_known_pairs = std::size_t{1} << 16;

  std::uint32_t count;
  std::uint32_t round;
  std::uint32_t loaded;  ///< entries of earlier campaigns, which come first: execution n repeats entry n as it is
  std::uint64_t known_graphs;
  std::uint64_t known_pairs;
  Entry entries[most_entries];
  std::uint64_t graphs[most_known_graphs];
  std::uint64_t pairs[most_known_pairs];
  /// Places in the program, sorted by site, if there are entries of another build.
  static constexpr std::size_t most_source_sites = std::size_t{1} << 17;
  std::uint32_t source_site_count;
  SourceSite source_sites[most_source_sites];
  std::byte recordings[most_entries][Recording::capacity];

  void clear() { count = round = loaded = source_site_count = 0, known_graphs = known_pairs = 0; }

  std::span<const SourceSite> sources() const { return {source_sites, source_site_count}; }

  bool repeats_an_entry(std::uint64_t execution) const { return execution < loaded; }
  /// The entry that an execution continues, or none.
  std::uint32_t draw(std::uint64_t seed, std::uint64_t execution) const;
  Recording recording(std::uint32_t entry) { return Recording(recordings[entry]); }
};

/// What makes an execution interesting, so that others continue from it.
struct CorpusRule {
  enum class Interest : std::uint8_t { fresh, rare };
  enum class Feedback : std::uint8_t { graphs, pairs, learnt };
  Interest interest = Interest::fresh;
  double threshold = 0.4;  ///< Interest::rare: of the relative frequency
  Feedback feedback = Feedback::learnt;
};

/// The end of the round that execution `number` belongs to, if the strategy uses a corpus: sixteen rounds an octave, so
/// that a find is soon continued, and none longer than most_in_round.
inline constexpr std::uint64_t most_in_corpus_round = 1 << 16;
std::uint64_t corpus_round_end(std::uint64_t number);

/// Of the executions of a round, those with one of the first graphs that are new, or with one of the first reads-from
/// pairs, are recorded: this many of each. A worker that records its own first ones has recorded those of all workers:
/// what it met before was new in the round, so it stands before them in the list of all workers, too.
inline constexpr std::size_t most_recordings = 64;

/// What a worker tells the keeper about the executions of a round.
struct CorpusOutbox {
  struct LoggedExecution {
    std::uint64_t number;
    std::uint64_t graph;
  };
  struct NewPair {
    std::uint64_t pair;
    std::uint64_t number;
  };
  struct Slot {
    std::uint64_t number;
    std::uint64_t graph;
    alignas(8) std::byte recording[Recording::capacity];
  };

  std::uint64_t execution_count;
  std::uint64_t pair_count;
  std::uint64_t recording_count;
  std::uint64_t new_graphs;
  std::uint64_t plans;           ///< executions that had a plan
  std::uint64_t planned_events;  ///< the sum over them
  LoggedExecution executions[most_in_corpus_round];
  NewPair pairs[Corpus::most_known_pairs];
  Slot recordings[2 * most_recordings];

  void clear() { execution_count = pair_count = recording_count = new_graphs = plans = planned_events = 0; }
};

/// Counts by hash, in an arena.
class HashCounts {
 public:
  explicit HashCounts(base::Arena& arena) : arena_(arena), table_(arena.create_array<Count>(1024)) {}
  struct Count {
    std::uint64_t hash;
    std::uint32_t count;
  };
  /// Counts the hash once more. Returns the count before.
  std::uint32_t add(std::uint64_t hash);
  std::uint32_t of(std::uint64_t hash) const;
  void clear();
  void set(std::uint64_t hash, std::uint32_t count);
  std::size_t size() const { return size_; }
  std::span<const Count> table() const { return table_; }

 private:
  static std::size_t place(std::span<const Count> table, std::uint64_t hash);
  base::Arena& arena_;
  std::span<Count> table_;  ///< open addressing; the hash 0 is an empty place
  std::size_t size_ = 0;
};

/// The reads-from pair of two source sites: Wolff et al., "Greybox fuzzing for concurrency testing", ASPLOS 2024.
std::uint64_t pair_hash(std::uint64_t read_site, std::uint64_t write_site);

/// Writes the outbox of a worker.
class CorpusReporter {
 public:
  /// `scratch` is rewound; `arena` outlives executions.
  CorpusReporter(Corpus& corpus, CorpusOutbox& outbox, base::Arena& arena, base::Arena& scratch,
                 const SiteNames& sites = plain_sites)
      : corpus_(corpus), outbox_(outbox), scratch_(scratch), sites_(sites), pairs_(arena) {
    outbox.clear();
  }

  /// Reports an execution, whose graph is still there.
  void add(std::uint64_t number, std::uint64_t graph_hash, bool is_new_graph, const graph::ExecutionGraph& graph,
           StoreRule stores, const CorpusUser& user);
  /// The keeper has read the outbox, and the next round begins.
  void begin_round();

 private:
  bool add_pairs(std::uint64_t number, const graph::ExecutionGraph& graph);
  void absorb_pairs();

  Corpus& corpus_;
  CorpusOutbox& outbox_;
  base::Arena& scratch_;
  const SiteNames& sites_;
  HashCounts pairs_;               ///< that are known
  std::uint64_t pairs_known_ = 0;  ///< of the corpus, that pairs_ contains
  std::uint64_t pairs_told_ = 0;   ///< of the outbox, that pairs_ contains: a child process may have added more
};

class CorpusKeeper {
 public:
  /// Empties the corpus. `arena` outlives the keeper.
  CorpusKeeper(Corpus& corpus, const CorpusRule& rule, std::uint64_t seed, base::Arena& arena);

  struct Execution {
    std::uint64_t number;
    std::uint64_t graph;      ///< hash
    bool continues_an_entry;  ///< it drew from the corpus
  };
  /// A recorded execution of the round. `recording` stays valid until end_round().
  struct Candidate {
    std::uint64_t number;
    std::uint64_t graph;
    Recording recording;
  };
  /// Ends a round. `executions` are all of it, `candidates` those that were recorded; both sorted by number.
  /// `pairs` are the reads-from pairs that executions of the round were the first of their worker to show.
  using NewPair = CorpusOutbox::NewPair;
  void end_round(std::span<const Execution> executions, std::span<const Candidate> candidates,
                 std::span<const NewPair> pairs);
  /// Adds a recording of an earlier campaign. False: there is no room.
  bool add(const Recording& recording, std::uint64_t graph, Corpus::Origin origin = Corpus::Origin::this_build);
  /// Counts plans of executions, for the report.
  void add_plans(std::uint64_t plans, std::uint64_t events) {
    plans_ += plans;
    planned_events_ += events;
  }
  std::uint64_t plans() const { return plans_; }
  std::uint64_t planned_events() const { return planned_events_; }

  Corpus& corpus() { return corpus_; }
  const HashCounts& graphs() const { return graphs_; }
  const HashCounts& pairs() const { return pairs_; }
  std::uint64_t executions() const { return executions_; }
  /// f²/(Σf²/|G|) of a graph, f its number of executions.
  double relative_frequency(std::uint64_t graph) const;
  /// Does the corpus follow reads-from pairs, because nearly every graph is new?
  bool follows_pairs() const { return follows_pairs_; }
  /// How many executions continued from an entry, and how many of them were new.
  struct Yield {
    double tries = 0;
    double found = 0;
  };
  /// What the keeper knows beside the corpus and the counts, for a campaign that continues in another process.
  struct Memory {
    std::uint64_t executions = 0;
    std::uint64_t plans = 0;
    std::uint64_t planned_events = 0;
    double sum_of_squares = 0;
    std::uint64_t follows_pairs = 0;
    Yield from_nothing;
    Yield from_entries;
    Yield yields[Corpus::most_entries];
    double weights[Corpus::most_entries];
  };
  void save(Memory& memory) const;
  /// The corpus has been restored. The counts of this keeper, which has seen no execution, become these.
  void restore(const Memory& memory, std::span<const HashCounts::Count> graphs,
               std::span<const HashCounts::Count> pairs);

 private:
  double weight_of(std::uint32_t entry) const;
  void count_pairs();
  double share_from_nothing() const;
  void set_shares();
  bool is_loaded(std::uint64_t graph) const;
  std::uint32_t free_entry();
  void put(std::uint32_t entry, const Recording& recording, std::uint64_t graph, std::uint64_t number);

  Corpus& corpus_;
  CorpusRule rule_;
  std::uint64_t seed_;
  base::Arena& arena_;
  Mutator mutator_;
  HashCounts graphs_;
  HashCounts pairs_;
  std::uint64_t executions_ = 0;
  std::uint64_t plans_ = 0;
  std::uint64_t planned_events_ = 0;
  double sum_of_squares_ = 0;  ///< of the counts of all graphs
  bool follows_pairs_ = false;
  std::span<Yield> yields_;    ///< by entry
  std::span<double> weights_;  ///< by entry, when a round ends
  HashCounts pairs_of_entries_;
  std::span<std::uint32_t> rarest_pairs_;  ///< by entry: how often all entries have its rarest reads-from pair

  Yield from_nothing_;                            ///< of executions without an entry
  Yield from_entries_;                            ///< of executions with one
  base::ArenaVector<std::uint64_t> interesting_;  ///< of one round: numbers of executions
};

}  // namespace heddle::strategies
