// Repeats one execution: that of a trace, or that of a finding.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "campaign/settings.hpp"
#include "findings/module_map.hpp"
#include "findings/results.hpp"
#include "session/time_limit.hpp"
#include "story/execution_log.hpp"
#include "story/log_records.hpp"
#include "trace/trace_file.hpp"

namespace heddle::session {

/// An execution that can be repeated.
struct Replay {
  campaign::Subject subject;
  std::uint64_t execution = 0;
  /// Without recorded decisions, the execution is repeated by its number and seed, and has no log.
  bool is_recorded = false;
  std::string decisions = {};
  TimeLimit limit = {};

  /// That of a trace. `trace_name` is its file, for messages. `program` is where the program is now; empty: where the
  /// trace says.
  static Result<Replay> of_trace(const trace::TraceFile& trace, const std::string& trace_name,
                                 const std::string& program);
  /// That of a finding. `subject` and `isolation` are those of the campaign that found it.
  static Result<Replay> of_finding(const campaign::Subject& subject, run::Isolation isolation,
                                   const findings::Finding& finding);
};

struct Replayed {
  findings::Results results;  ///< with the findings of this execution
  story::DecodedLog log;
};

/// Null: the results have no such finding.
findings::Finding* find_key(findings::Results& results, std::uint64_t key);

/// Repeats the execution, with a log of everything that it does.
Result<Replayed> run(const Replay& replay);

struct RecordedReplay {
  findings::Results results;
  std::optional<story::LogRecords> records;  ///< nothing: its process died before it could be recorded
  findings::ModuleMap modules;
};

/// Repeats the execution. The log is as the worker wrote it, without names.
Result<RecordedReplay> run_for_records(const Replay& replay);

/// The campaign of this one execution.
Result<campaign::Settings> campaign_of(const Replay& replay);

}  // namespace heddle::session
