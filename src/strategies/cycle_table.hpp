// The cycles that executions are directed to, and their results. A block of memory without pointers: the driver of
// `heddle predict` writes it into the channel, and workers fill in the results.
//
// Every cycle gets a number of trials, and every trial a number of executions: the test script of the paper runs the
// program several times. The number of an execution says which cycle and trial it belongs to.
#pragma once

#include <cstdint>
#include <span>

#include "base/hash.hpp"
#include "graph/event.hpp"
#include "strategies/cycle.hpp"

namespace heddle::strategies {

/// How many addresses name a place in the program: that of the access and of two callers. Functions of the C++ library
/// that wrap an access without being inlined are at most two deep.
inline constexpr std::uint32_t deepest_site = 3;

/// A place in the program by the first `depth` of these canonical code addresses.
inline std::uint64_t site_name(std::span<const std::uint64_t> addresses, std::uint32_t depth) {
  std::uint64_t words[deepest_site] = {};
  for (std::uint32_t i = 0; i < depth && i < deepest_site && i < addresses.size(); ++i) words[i] = addresses[i];
  return base::hash_words(depth, words[0], words[1], words[2]);
}

struct LabelledSite {
  std::uint64_t site;  ///< site_name()
  std::uint32_t label;
  std::uint32_t unused;
};

struct TrialResult {
  std::uint32_t executions;
  std::uint32_t confirmed;  ///< executions that had the cycle
  std::uint32_t buggy;      ///< executions that had the cycle and a bug
  std::uint32_t unused;
  std::uint64_t bug;            ///< the key of a bug of the first such execution
  std::uint64_t bug_execution;  ///< the number of that execution
};

struct CycleTable {
  static constexpr std::uint32_t patience = 3;  ///< trials without the cycle, before it is given up
  static constexpr std::uint32_t most_sites = 1U << 16;
  static constexpr std::uint32_t most_cycles = 1U << 14;
  static constexpr std::uint32_t most_known_bugs = 1024;
  static constexpr std::uint32_t most_trials = 1U << 21;  ///< of all cycles

  std::uint32_t site_count;
  std::uint32_t cycle_count;        ///< 0: executions are not directed to cycles
  std::uint32_t trials;             ///< of each cycle
  std::uint32_t executions;         ///< of each trial
  std::uint64_t longest_execution;  ///< operations of the longest execution from which cycles were predicted
  LabelledSite sites[most_sites];   ///< sorted by site
  Cycle cycles[most_cycles];
  std::uint64_t names[most_cycles];  ///< of the cycles, the same in every process
  std::uint32_t known_bug_count;
  std::uint64_t known_bugs[most_known_bugs];  ///< keys of findings that sc shows, too: they do not count
  TrialResult results[most_trials];           ///< by cycle, then trial

  bool is_empty() const { return cycle_count == 0; }
  std::uint64_t trial_of(std::uint64_t execution) const { return execution / executions; }
  std::uint32_t cycle_of(std::uint64_t execution) const {
    return static_cast<std::uint32_t>(trial_of(execution) / trials);
  }
  std::uint64_t end_execution() const { return std::uint64_t{cycle_count} * trials * executions; }
  /// The execution after this one. A trial ends when an execution had the cycle. If no execution of the first
  /// trials had it, the cycle gets no more trials.
  std::uint64_t next_execution(std::uint64_t execution) const {
    const std::uint64_t trial = trial_of(execution);
    if (results[trial].confirmed != 0) return (trial + 1) * executions;
    const std::uint64_t first = trial / trials * trials;
    if ((execution + 1) % executions != 0 || trial + 1 != first + patience) return execution + 1;
    for (std::uint64_t i = first; i < trial; ++i)
      if (results[i].confirmed != 0) return execution + 1;
    return (first + trials) * executions;
  }
  /// no_label if the cycles have no such site.
  std::uint32_t find_label(std::uint64_t site) const {
    std::uint32_t begin = 0, end = site_count;
    while (begin < end) {
      const std::uint32_t middle = begin + (end - begin) / 2;
      if (sites[middle].site < site)
        begin = middle + 1;
      else
        end = middle;
    }
    return begin < site_count && sites[begin].site == site ? sites[begin].label : no_label;
  }
};

/// Tells the label of what a thread is about to do.
class PendingLabels {
 public:
  virtual std::uint32_t label_of(graph::ThreadId thread) = 0;

 protected:
  ~PendingLabels() = default;
};

}  // namespace heddle::strategies
