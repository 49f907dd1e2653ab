#include "strategies/search_budget.hpp"

#include <algorithm>

namespace heddle::strategies {

namespace {

// A proof is worth half of the samples. Without a limit on executions, the search ends here: a million runs take
// some ten seconds.
constexpr std::uint64_t most_runs_without_limit = 1 << 20;
// The explored part says little before so many runs.
constexpr std::uint64_t least_first_look = 16, most_first_look = 64, long_first_look = 512;
// Programs that can be explored have short executions.
constexpr std::uint64_t events_of_a_run = 1024;
// The estimate can be wrong by such a factor.
constexpr std::uint64_t tolerance = 4;
constexpr double nearly_all = 0.95;
// The second of a long search: four million events take about so long.
constexpr std::uint64_t work_of_a_second = 1 << 22;
// A run without events takes as long as so many of them, and an event as long as so many plain accesses.
constexpr std::uint64_t events_to_start_a_run = 32, plain_steps_of_an_event = 16;
// So much faster than so far can a search become.
constexpr double most_speedup = 16;
// The long search comes before the first round from this execution on.
constexpr std::uint64_t long_search_begin = 1024;

}  // namespace

std::uint64_t most_search_runs(std::uint64_t executions) {
  return executions == 0 ? most_runs_without_limit : std::min(executions / 2, most_runs_without_limit);
}

SearchStage search_stage(std::uint64_t number) {
  if (number == round_end(0)) return SearchStage::short_search;
  return number >= long_search_begin && round_end(number - 1) == number ? SearchStage::long_search : SearchStage::none;
}

SearchPace::SearchPace(SearchStage stage, std::uint64_t most_runs)
    : is_long_(stage == SearchStage::long_search), most_runs_(most_runs),
      next_look_(is_long_ ? long_first_look : std::clamp(most_runs / 8, least_first_look, most_first_look) / 2) {}

bool SearchPace::continues(const RunEffort& run, double explored) {
  ++runs_;
  events_ += run.events;
  work_ += events_to_start_a_run + run.events + run.plain_steps / plain_steps_of_an_event;
  if (runs_ >= most_runs_ || events_ >= most_runs_ * events_of_a_run) return false;
  if (is_long_ && work_ >= work_of_a_second && !is_second_over_) {
    is_second_over_ = true;
    next_look_ = runs_;
  }
  if (runs_ < next_look_) return true;
  const bool may_continue = is_long_ ? completes_at_last(explored) : explored_before_ == 0 || grows_to_all(explored);
  explored_before_ = explored;
  next_look_ *= 2;
  return may_continue;
}

bool SearchPace::completes_at_last(double explored) const {
  const auto ratio = [](std::uint64_t all, std::uint64_t done) {
    return static_cast<double>(all) / static_cast<double>(std::max<std::uint64_t>(done, 1));
  };
  const double in_a_second = is_second_over_ ? 0 : most_speedup * ratio(work_of_a_second, work_);
  const double in_all = std::min(ratio(most_runs_, runs_), ratio(most_runs_ * events_of_a_run, events_));
  return explored * std::max(in_a_second, in_all) >= 1;
}

bool SearchPace::grows_to_all(double explored) const {
  const double growth = explored / explored_before_;
  double expected = explored;
  for (std::uint64_t at = runs_; at < most_runs_ * tolerance && expected < nearly_all; at *= 2) expected *= growth;
  return expected >= nearly_all;
}

}  // namespace heddle::strategies
