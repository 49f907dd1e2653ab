// Replays of traces, with the whole execution as data.
#pragma once

#include <string>

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "findings/results.hpp"
#include "story/execution_log.hpp"
#include "trace/trace_file.hpp"

namespace heddle::cli {

/// The campaign of one execution that repeats the trace. `trace_name` is its file, for messages. `program` is where the
/// program is now; empty: where the trace says.
Result<campaign::Settings> replay_settings(const trace::TraceFile& trace, const std::string& trace_name,
                                           const std::string& program);

/// The campaign of one execution that repeats that of a finding of `campaign`, which used this isolation.
Result<campaign::Settings> replay_settings(const campaign::Settings& campaign, run::Isolation isolation,
                                           const findings::Finding& finding);

struct Replay {
  findings::Results results;
  story::DecodedLog log;
};

/// Repeats the execution and records it. Its findings are in the results, as for any campaign.
Result<Replay> replay_with_log(campaign::Settings settings);

/// The finding of the trace among those of its replay; null: it was not reproduced.
findings::Finding* find_same(findings::Results& results, const trace::TraceFile& trace);

}  // namespace heddle::cli
