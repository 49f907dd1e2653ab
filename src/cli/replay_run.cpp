#include "cli/replay_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "campaign/campaign.hpp"
#include "campaign/output_folder.hpp"
#include "campaign/workers/channel_memory.hpp"
#include "campaign/workers/program_file.hpp"
#include "findings/modules.hpp"
#include "findings/symbolizer.hpp"
#include "prediction/directed_cycle.hpp"

namespace heddle::cli {

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

Result<campaign::Settings> replay_settings(const trace::TraceFile& trace, const std::string& trace_name,
                                           const std::string& program) {
  auto file = find_program(trace, trace_name, program);
  if (!file) return file.problem();
  campaign::Settings settings;
  settings.run = trace.run;
  settings.program = *file;
  settings.program_name = program.empty() ? trace.program : program;
  settings.args = trace.args;
  settings.first_execution = trace.execution;
  settings.end_execution = trace.execution + 1;
  // An execution whose decisions were not recorded is repeated by its number and seed.
  settings.mode = trace.recorded ? channel::Mode::replay : channel::Mode::test;
  settings.decisions = trace.decisions;
  settings.check = trace.check;
  if (trace.run.cycle.empty()) return settings;
  const auto cycle = prediction::parse_cycle(trace.run.cycle.view());
  if (!cycle) return test_problem(fmt::format("{} is damaged: its cycle cannot be read", trace_name));
  settings.has_cycles = true;
  settings.prepare_channel = [cycle = *cycle](campaign::ChannelMemory& channel) {
    prediction::write_table(cycle, channel.cycles());
  };
  return settings;
}

Result<campaign::Settings> replay_settings(const campaign::Settings& campaign, run::Isolation isolation,
                                           const findings::Finding& finding) {
  // As if the finding's trace had been read from its file.
  const auto trace = trace::decode_trace(trace::encode_trace(campaign::make_trace(campaign, isolation, finding)), "");
  if (!trace) return trace.problem();
  auto settings = replay_settings(*trace, "the trace", campaign.program.path);
  if (!settings) return settings.problem();
  settings->program_name = campaign.program_name;
  return settings;
}

Result<Replay> replay_with_log(campaign::Settings settings) {
  Replay replay;
  replay.log.why_not = "the execution's process died before it could be recorded";
  findings::Symbolizer symbolizer;
  if (settings.mode == channel::Mode::replay) settings.recording = channel::Recording::log;
  settings.read_channel = [&](const campaign::ChannelMemory& channel) {
    const auto modules = findings::ModuleMap::decode(channel.modules());
    if (!channel.recordings().empty())
      replay.log = story::decode_execution_log(channel.recordings(), modules, symbolizer);
  };
  auto results = campaign::run_campaign(settings);
  if (!results) return results.problem();
  replay.results = std::move(*results);
  return replay;
}

findings::Finding* find_same(findings::Results& results, const trace::TraceFile& trace) {
  const auto same = std::find_if(results.findings.begin(), results.findings.end(),
                                 [&](const auto& finding) { return finding.key == trace.finding_key; });
  return same == results.findings.end() ? nullptr : &*same;
}

}  // namespace heddle::cli
