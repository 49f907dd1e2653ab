// The exhaustive searches of `auto`: when they begin, what they may take, and when they give up. Small programs have
// few execution graphs. A search visits each of them once, and then nothing is left to find.
//
// A short search comes after the first round, so that a small program is proved at once. It gives up early, since most
// programs are larger. A long search comes when a thousand executions have shown no bug: then a second is well spent on
// a proof, and no bug is found later because of it that sampling finds at once.
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

/// What comes before execution `number`, the first one of a round.
enum class SearchStage : std::uint8_t { none, short_search, long_search };
SearchStage search_stage(std::uint64_t number);

/// With a limit on time, the search may take this part of what is left of it: one in so many.
inline constexpr int search_share_of_time = 4;

/// How many runs a search may take if `executions` are left in the campaign; 0: there is no limit.
std::uint64_t most_search_runs(std::uint64_t executions);

/// What a run of a search has done.
struct RunEffort {
  std::uint64_t events = 0;
  std::uint64_t plain_steps = 0;  ///< plain accesses and calls of functions
};

class SearchPace {
 public:
  SearchPace(SearchStage stage, std::uint64_t most_runs);

  /// To be called after every run; `explored` is the part of the search that is done, if all options of a decision have
  /// as much behind them. Returns false if the search has used up its budget, or is not going to complete within it.
  ///
  /// A search looks ahead when the number of its runs has doubled. A short search ends if the explored part, growing by
  /// the same factor with every further doubling, will not be everything before the budget is used up. This estimate is
  /// an optimistic one as long as little is explored, so most searches that cannot complete end at the first look.
  ///
  /// A long search may do about a second of work whatever that estimate says. Within it, it ends only if the rest
  /// cannot be done although it explores many times as fast as so far: what it explores first can be the larger part
  /// behind a decision.
  bool continues(const RunEffort& run, double explored);

 private:
  /// Of a long search.
  bool completes_at_last(double explored) const;
  /// Of a short one.
  bool grows_to_all(double explored) const;

  bool is_long_;
  bool is_second_over_ = false;
  std::uint64_t most_runs_;
  std::uint64_t next_look_;
  std::uint64_t runs_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t work_ = 0;      ///< in events
  double explored_before_ = 0;  ///< at the look before
};

}  // namespace heddle::strategies
