// The exhaustive search that `auto` makes after its first round: what it may take, and when it gives up. Small programs
// have few execution graphs. The search visits each of them once, and then nothing is left to find.
//
// Everything here counts executions and events, never time: the same campaign searches for the same number of
// executions on every machine and for every number of workers. heddle test (campaign/) and heddle::check (engine/) both
// use these definitions.
#pragma once

#include <cstdint>

#include "strategies/learner.hpp"

namespace heddle::strategies {

/// The search as --strategy takes it. An execution with so many events shows that there is too much to explore; under a
/// model with store buffers it takes the cube of their number.
inline const char* search_of_auto(bool has_store_buffers) {
  return has_store_buffers ? "exhaustive:events=256" : "exhaustive:events=16384";
}

/// The first execution of the search: the first round is sampled. Bugs that most executions show are found there, and a
/// program that heddle cannot run says so.
inline std::uint64_t search_begin() { return round_end(0); }

/// With a limit on time, the search may take this part of what is left of it: one in so many.
inline constexpr int search_share_of_time = 4;

/// How many runs the search may take if `executions` are left in the campaign; 0: there is no limit.
std::uint64_t most_search_runs(std::uint64_t executions);

class SearchPace {
 public:
  explicit SearchPace(std::uint64_t most_runs);

  /// To be called after every run, with the numbers so far; `explored` is the estimated part of the search that is
  /// done. Returns false if the search has used up its budget, or is not going to complete within it.
  ///
  /// The search looks ahead when the number of its runs has doubled. If the explored part grows by the same factor with
  /// every further doubling, will it be everything before the budget is used up? The estimate is an optimistic one as
  /// long as little is explored, so most searches that cannot complete end at the first look.
  bool continues(std::uint64_t runs, std::uint64_t events, double explored);

 private:
  bool may_complete(std::uint64_t runs, double explored) const;

  std::uint64_t most_runs_;
  std::uint64_t most_events_;
  std::uint64_t next_look_;
  double explored_before_ = 0;  ///< at half of the runs
};

}  // namespace heddle::strategies
