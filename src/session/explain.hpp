// Minimises and explains the findings of a campaign.
#pragma once

#include "campaign/settings.hpp"
#include "findings/results.hpp"
#include "session/replay.hpp"
#include "story/execution_log.hpp"

namespace heddle::session {

/// Minimises and explains findings as --explain says. A finding that was minimised describes the minimised execution,
/// and its decisions are those of that execution. Ends at `deadline`: what is not explained by then says so.
void explain_findings(const campaign::Subject& subject, findings::Results& results, const Deadline& deadline);

/// Explains a finding from the log of a replay, which is not minimised.
void explain_replay(const Replay& replay, findings::Finding& finding, const story::DecodedLog& log);

}  // namespace heddle::session
