#include "strategies/search_budget.hpp"

#include <algorithm>

namespace heddle::strategies {

namespace {

// A proof is worth half of the samples. Without a limit on executions, the search ends here: a million runs take
// some ten seconds.
constexpr std::uint64_t most_runs_without_limit = 1 << 20;
// The explored part says little before so many runs.
constexpr std::uint64_t least_first_look = 16, most_first_look = 64;
// Programs that can be explored have short executions.
constexpr std::uint64_t events_of_a_run = 1024;
// The estimate can be wrong by such a factor.
constexpr std::uint64_t tolerance = 4;
constexpr double nearly_all = 0.95;

}  // namespace

std::uint64_t most_search_runs(std::uint64_t executions) {
  return executions == 0 ? most_runs_without_limit : std::min(executions / 2, most_runs_without_limit);
}

SearchPace::SearchPace(std::uint64_t most_runs)
    : most_runs_(most_runs), most_events_(most_runs * events_of_a_run),
      next_look_(std::clamp(most_runs / 8, least_first_look, most_first_look) / 2) {}

bool SearchPace::continues(std::uint64_t runs, std::uint64_t events, double explored) {
  if (runs >= most_runs_ || events >= most_events_) return false;
  if (runs < next_look_) return true;
  const bool is_first = explored_before_ == 0;
  const bool may_continue = is_first || may_complete(runs, explored);
  explored_before_ = explored;
  next_look_ *= 2;
  return may_continue;
}

bool SearchPace::may_complete(std::uint64_t runs, double explored) const {
  const double growth = explored / explored_before_;
  double expected = explored;
  for (std::uint64_t at = runs; at < most_runs_ * tolerance && expected < nearly_all; at *= 2) expected *= growth;
  return expected >= nearly_all;
}

}  // namespace heddle::strategies
