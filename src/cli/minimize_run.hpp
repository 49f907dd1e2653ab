// Minimises traces: the simplest execution that shows the same finding, checked by a replay in another process.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "cli/replay_run.hpp"
#include "findings/results.hpp"

namespace heddle::cli {

/// How much may be tried.
struct MinimizationBudget {
  std::uint64_t tries;
  std::uint64_t events;
};
/// For a finding of a campaign: about a tenth of a second.
inline constexpr MinimizationBudget campaign_budget{1'000, 200'000};
/// For heddle minimize: about ten times as much.
inline constexpr MinimizationBudget command_budget{50'000, 5'000'000};

struct MinimizedExecution {
  findings::Finding finding;  ///< of the minimised execution, with its decisions
  story::DecodedLog log;      ///< of its replay
  channel::Minimized counts;
};

/// `settings` are those of replay_settings(). A problem says why there is no simpler execution, and what to do.
Result<MinimizedExecution> minimize_execution(const campaign::Settings& settings, std::uint64_t finding_key,
                                              const MinimizationBudget& budget);

}  // namespace heddle::cli
