// Minimises and explains the findings of a campaign.
#pragma once

#include <optional>

#include "campaign/settings.hpp"
#include "campaign/workers/worker_process.hpp"
#include "findings/results.hpp"
#include "story/execution_log.hpp"

namespace heddle::cli {

/// Minimises and explains findings as --explain says. A finding that was minimised describes the minimised execution,
/// and its decisions are those of that execution. Ends at `deadline`: what is not explained by then says so.
void explain_findings(const campaign::Settings& settings, findings::Results& results,
                      std::optional<campaign::Clock::time_point> deadline);

/// Explains a finding from the log of a replay, which is not minimised. `settings` are those of the replay.
void explain_replay(const campaign::Settings& settings, findings::Finding& finding, const story::DecodedLog& log);

}  // namespace heddle::cli
