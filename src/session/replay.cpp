#include "session/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "campaign/campaign.hpp"
#include "campaign/output_folder.hpp"
#include "campaign/workers/channel_memory.hpp"
#include "campaign/workers/program_file.hpp"
#include "findings/module_map.hpp"
#include "findings/symbolizer.hpp"
#include "prediction/directed_cycle.hpp"

namespace heddle::session {

namespace {

Result<campaign::ProgramFile> find_program(const trace::TraceFile& trace, const std::string& trace_name,
                                           const std::string& given) {
  auto program = campaign::inspect_program(given.empty() ? trace.program : given);
  if (!program) {
    Problem problem = program.problem();
    if (given.empty()) problem.text += "; if it has been moved, name its new place with --program";
    return problem;
  }
  if (program->build_id != trace.build_id) {
    return test_problem(
        fmt::format("{} is not the program that {} was recorded with (its build id is {}, the trace has "
                    "{}): it has been rebuilt; record the trace again or name the old program with "
                    "--program",
                    program->path, trace_name, program->build_id, trace.build_id));
  }
  return program;
}

}  // namespace

Result<Replay> Replay::of_trace(const trace::TraceFile& trace, const std::string& trace_name,
                                const std::string& program) {
  auto file = find_program(trace, trace_name, program);
  if (!file) return file.problem();
  if (!trace.run.cycle.empty() && !prediction::parse_cycle(trace.run.cycle.view()))
    return test_problem(fmt::format("{} is damaged: its cycle cannot be read", trace_name));
  Replay replay;
  replay.subject.run = trace.run;
  replay.subject.program = *file;
  replay.subject.program_name = program.empty() ? trace.program : program;
  replay.subject.args = trace.args;
  replay.subject.check = trace.check;
  replay.execution = trace.execution;
  replay.is_recorded = trace.recorded;
  replay.decisions = trace.decisions;
  return replay;
}

Result<Replay> Replay::of_finding(const campaign::Subject& subject, run::Isolation isolation,
                                  const findings::Finding& finding) {
  // As if the finding's trace had been read from its file.
  const auto trace = trace::decode_trace(trace::encode_trace(campaign::make_trace(subject, isolation, finding)), "");
  if (!trace) return trace.problem();
  auto replay = of_trace(*trace, "the trace", subject.program.path);
  if (!replay) return replay.problem();
  replay->subject.program_name = subject.program_name;
  replay->subject.sites = subject.sites;
  return replay;
}

Result<campaign::Settings> campaign_of(const Replay& replay) {
  campaign::Settings settings(replay.subject);
  if (replay.limit.longest.count() != 0) settings.run.time = replay.limit.longest;
  settings.ends_at = replay.limit.deadline;
  settings.first_execution = replay.execution;
  settings.end_execution = replay.execution + 1;
  settings.mode = replay.is_recorded ? channel::Mode::replay : channel::Mode::test;
  settings.recording = replay.is_recorded ? channel::Recording::log : channel::Recording::nothing;
  settings.decisions = replay.decisions;
  if (settings.run.cycle.empty()) return settings;
  const auto cycle = prediction::parse_cycle(settings.run.cycle.view());
  if (!cycle) return test_problem("the cycle of the trace cannot be read");
  settings.has_cycles = true;
  settings.prepare_channel = [cycle = *cycle](campaign::ChannelMemory& channel) {
    prediction::write_table(cycle, channel.cycles());
  };
  return settings;
}

Result<Replayed> run(const Replay& replay) {
  auto settings = campaign_of(replay);
  if (!settings) return settings.problem();
  Replayed replayed;
  replayed.log.why_not = "the execution's process died before it could be recorded";
  findings::Symbolizer symbolizer;
  settings->read_channel = [&](const campaign::ChannelMemory& channel) {
    const auto modules = findings::ModuleMap::decode(channel.modules());
    if (!channel.recordings().empty())
      replayed.log = story::decode_execution_log(channel.recordings(), modules, symbolizer);
  };
  auto results = campaign::run_campaign(*settings);
  if (!results) return results.problem();
  replayed.results = std::move(*results);
  return replayed;
}

Result<RecordedReplay> run_for_records(const Replay& replay) {
  auto settings = campaign_of(replay);
  if (!settings) return settings.problem();
  RecordedReplay recorded;
  settings->read_channel = [&](const campaign::ChannelMemory& channel) {
    recorded.modules = findings::ModuleMap::decode(channel.modules());
    if (!channel.recordings().empty()) recorded.records = story::read_log_records(channel.recordings());
  };
  auto results = campaign::run_campaign(*settings);
  if (!results) return results.problem();
  recorded.results = std::move(*results);
  return recorded;
}

findings::Finding* find_key(findings::Results& results, std::uint64_t key) {
  const auto same = std::find_if(results.findings.begin(), results.findings.end(),
                                 [&](const findings::Finding& finding) { return finding.key == key; });
  return same == results.findings.end() ? nullptr : &*same;
}

}  // namespace heddle::session
