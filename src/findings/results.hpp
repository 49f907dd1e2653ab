// The description and the results of a campaign. Many fields: all that reports show.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "channel/search_assumption.hpp"
#include "findings/finding.hpp"
#include "findings/proof_gaps.hpp"
#include "run/specification.hpp"

namespace heddle::findings {

struct RunDescription {
  std::string program;  ///< as the user wrote it
  std::vector<std::string> args;
  run::RunSpecification specification;
};

struct Statistics {
  std::uint64_t executions = 0;
  std::uint64_t buggy = 0;
  std::uint64_t blocked = 0;
  std::uint64_t cut_off = 0;
  std::uint64_t events = 0;
  std::uint64_t distinct_graphs = 0;
  std::uint64_t graphs_hash = 0;  ///< of the set of distinct graphs
  std::uint64_t escapes = 0;      ///< how often a strategy took a thread for livelocked and ran another one
  double seconds = 0;             ///< of everything that the run did
  double explaining_seconds = 0;  ///< the part of them in which findings were explained

  /// Executions a second.
  double rate() const {
    const double executing = seconds - explaining_seconds;
    return executing > 0 ? static_cast<double>(executions) / executing : 0;
  }
};

struct ProgramOutput {
  std::uint64_t execution = 0;
  std::string text;
  std::string decisions = {};  ///< bytes, for a replay
};

/// How a strategy that learns distributed its executions: one part for each value that it could choose.
struct Learnt {
  struct Part {
    std::string choice;  ///< "strategy", "pctwm:d", ...
    std::string value;
    std::uint64_t executions = 0;
    std::uint64_t buggy = 0;
    std::uint64_t new_graphs = 0;
  };
  /// How many events the executions of a strategy have.
  struct Length {
    std::string parameter;  ///< "pct:k", ...
    std::uint64_t usual = 0;
    std::uint64_t longest = 0;
  };
  std::vector<Part> parts;
  std::vector<Length> lengths;
};

/// What a suppression has hidden.
struct Suppressed {
  std::string suppression;
  std::uint64_t findings = 0;  ///< variants are part of their finding
  std::uint64_t times = 0;     ///< executions that showed them, summed over the findings
};

/// How much of the program's behaviour the executions have shown.
struct Coverage {
  struct Point {
    std::uint64_t executions;
    std::uint64_t graphs;  ///< distinct ones that so many executions had shown
  };
  std::vector<Point> over_time;
  std::uint64_t buggy_graphs = 0;          ///< distinct ones whose first execution had a bug
  std::uint64_t last_new_graph = 0;        ///< the execution that showed the newest graph
  std::uint64_t since_new_graph = 0;       ///< how many executions came after it
  std::vector<std::uint64_t> frequencies;  ///< of the most frequent graphs, in executions; empty: not counted
  std::uint64_t seen_once = 0;             ///< graphs
  std::uint64_t seen_twice = 0;
  double mean_plan = 0;                           ///< events of the plans that executions followed; 0: there were none
  std::optional<std::uint64_t> reads_from_pairs;  ///< distinct pairs of source sites of a read and its write
  /// The executions are independent of each other, so that these can be estimated: the chance that the next execution
  /// shows a new graph (Good and Turing), and how many graphs are unseen, at least (Chao1).
  std::optional<double> chance_of_new;
  std::optional<double> unseen;
};

/// The last exhaustive search of `auto`. Its executions are in the statistics, too.
struct Search {
  std::uint64_t executions = 0;  ///< 0: there was no search
  std::uint64_t waiting = 0;     ///< of these: executions in which a thread waits for a value that it has not read yet
  std::uint64_t buggy = 0;
  bool is_finished = false;  ///< it explored every execution graph
  ProofGaps gaps;            ///< why it is no proof although it is finished

  std::uint64_t graphs() const { return executions - waiting; }
  /// Nothing is left to find.
  bool is_proof() const { return is_finished && gaps.empty(); }
};

using channel::SearchAssumption;

/// The search that can continue where another one could not.
struct NeededSearch {
  SearchAssumption broken = SearchAssumption::arrivals;
  std::string racy_sites;  ///< ordered_sites: run::RunSpecification::racy_sites of the search
};

/// What a search of the clients of a data structure went through: heddle/linearizable.h.
struct Clients {
  std::uint64_t count = 0;  ///< 0: there was no such search
  std::string bounds;       ///< "4 calls on 2 threads"
};

struct Results {
  Statistics statistics;
  Search search;
  Coverage coverage;
  std::vector<Finding> findings;                         ///< by first execution, then key
  std::vector<ProgramOutput> outputs;                    ///< --show-output, by execution
  run::Isolation isolation = run::Isolation::automatic;  ///< that was used; automatic: no worker chose one
  std::string isolation_reason;                          ///< why automatic isolation took fork; empty otherwise
  std::string warning;                                   ///< what limits the results; empty: nothing
  std::uint64_t findings_dropped = 0;
  std::vector<Suppressed> suppressed;  ///< in the order of the suppressions' text
  bool interrupted = false;
  bool has_baseline = false;                ///< --baseline: is_known of the findings is meant
  bool excludes_spurious_wake_ups = false;  ///< --spurious none: a proof holds for executions without them
  std::string incomplete;                   ///< merged shards: which ones are missing, a sentence; empty: none
  std::string stopped_by_limit;  ///< why the campaign ended early, and what to change: a sentence; empty: it did not
  bool is_exhaustive = false;    ///< the strategy explores every execution graph
  bool search_finished = false;  ///< exhaustive search: every graph was explored
  ProofGaps gaps;                ///< exhaustive search: why it is no proof although it is finished
  ProofGaps bounds;              ///< exhaustive search: what it leaves out by its nature, and the program does
  double estimate = 0;           ///< exhaustive search: estimate of all executions, made before it
  double explored = 0;           ///< exhaustive search: estimate of the part that is done
  std::uint64_t abandoned = 0;   ///< exhaustive search: runs that do not count as executions
  /// --bound auto: every execution with at most so many preemptions was explored.
  std::optional<std::uint64_t> switches_explored;
  Learnt learnt;
  Clients clients;
  std::string failure;                        ///< why heddle could not continue, a sentence; empty: it could
  std::optional<NeededSearch> needed_search;  ///< exhaustive search: it would not have failed
};

/// An exhaustive search that the user asked for has explored everything, and nothing limits what that proves.
inline bool is_all_explored(const Results& results) {
  return results.is_exhaustive && results.search_finished && results.statistics.cut_off == 0 && results.gaps.empty();
}

/// Estimate of all executions of the search, blocked ones included, from the part that is done; 0: not known.
inline double estimated_total(const Results& results) {
  return results.explored > 0 ? static_cast<double>(results.statistics.executions) / results.explored : 0;
}

/// A baseline does not have them.
inline bool has_new_bugs(const Results& results) {
  for (const Finding& finding : results.findings) {
    if (is_bug(finding) && !finding.is_known) return true;
  }
  return false;
}

}  // namespace heddle::findings
