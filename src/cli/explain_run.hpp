// Minimises and explains the findings of a campaign.
#pragma once

#include "campaign/settings.hpp"
#include "findings/results.hpp"
#include "story/execution_log.hpp"

namespace heddle::cli {

/// Minimises and explains findings as --explain says. A finding that was minimised describes the minimised execution,
/// and its decisions are those of that execution.
void explain_findings(const campaign::Settings& settings, findings::Results& results);

/// Explains a finding from the log of a replay, which is not minimised.
void explain_replay(findings::Finding& finding, const story::DecodedLog& log);

}  // namespace heddle::cli
