// heddle replay: runs the execution that a trace recorded again.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "campaign/campaign.hpp"
#include "campaign/channel_memory.hpp"
#include "campaign/output_folder.hpp"
#include "cli/commands.hpp"
#include "cli/debugger.hpp"
#include "cli/run_options.hpp"
#include "prediction/directed_cycle.hpp"
#include "report/json.hpp"
#include "report/terminal.hpp"
#include "report/text.hpp"
#include "trace/atomic_file.hpp"
#include "trace/trace_file.hpp"

namespace heddle::cli {

namespace {

struct ReplayOptions {
  run::RunSpecification run;  ///< json and show_output
  std::string trace;
  std::string program;  ///< empty: the program that the trace names
  bool gdb = false;
  std::string help;
};

Result<ReplayOptions> parse_options(std::vector<std::string> arguments) {
  ReplayOptions options;
  RunOptions parser(run::replay, "heddle replay [OPTIONS] TRACE",
                    "Runs the recorded execution of TRACE again, event by event, and shows its finding.");
  CLI::App& app = parser.app();
  app.add_option("TRACE", options.trace, "a file that heddle test or heddle verify wrote");
  app.add_option("--program", options.program, "where the program is now, if it has been moved")->type_name("PATH");
  app.add_flag("--gdb", options.gdb, "start the program under gdb: set break points, then run");
  auto values = parser.parse(std::move(arguments));
  if (!values) return values.problem();
  options.help = parser.help();
  if (!options.help.empty()) return options;
  auto run = make_specification(run::replay, *values);
  if (!run) return run.problem();
  options.run = *run;
  if (options.trace.empty()) return usage_problem("there is no trace to replay: write heddle replay TRACE");
  return options;
}

Result<campaign::ProgramFile> find_program(const ReplayOptions& options, const trace::TraceFile& trace) {
  auto program = campaign::inspect_program(options.program.empty() ? trace.program : options.program);
  if (!program) {
    Problem problem = program.problem();
    if (options.program.empty()) problem.text += "; if it has been moved, name its new place with --program";
    return problem;
  }
  if (program->build_id != trace.build_id) {
    return test_problem(
        fmt::format("{} is not the program that {} was recorded with (its build id is {}, the trace has "
                    "{}): it has been rebuilt; record the trace again or name the old program with "
                    "--program",
                    program->path, options.trace, program->build_id, trace.build_id));
  }
  return program;
}

Result<campaign::Settings> make_settings(const ReplayOptions& options, const trace::TraceFile& trace) {
  auto program = find_program(options, trace);
  if (!program) return program.problem();
  campaign::Settings settings;
  settings.run = trace.run;
  settings.run.show_output = options.run.show_output;
  settings.program = *program;
  settings.program_name = options.program.empty() ? trace.program : options.program;
  settings.args = trace.args;
  settings.first_execution = trace.execution;
  settings.end_execution = trace.execution + 1;
  // An execution whose decisions were not recorded is repeated by its number and seed.
  settings.mode = trace.recorded ? channel::Mode::replay : channel::Mode::test;
  settings.decisions = trace.decisions;
  settings.check = trace.check;
  if (trace.run.cycle.empty()) return settings;
  const auto cycle = prediction::parse_cycle(trace.run.cycle.view());
  if (!cycle) return test_problem(fmt::format("{} is damaged: its cycle cannot be read", options.trace));
  settings.has_cycles = true;
  settings.prepare_channel = [cycle = *cycle](campaign::ChannelMemory& channel) {
    prediction::write_table(cycle, channel.cycles());
  };
  return settings;
}

/// A trace names the program that it starts. If the user did not, and the program lies elsewhere, they are told first.
void announce_program(const ReplayOptions& options, const campaign::Settings& settings) {
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string() + "/";
  if (!options.program.empty() || settings.program.path.starts_with(here)) return;
  std::string command = report::shell_word(settings.program.path);
  for (const std::string& argument : settings.args) command += " " + report::shell_word(argument);
  std::fprintf(stderr, "heddle: this trace starts %s\n", report::printable(command, report::Controls::escape).c_str());
}

/// Prints the findings of the replay. The exit code says whether the finding of the trace is among them.
int report(const ReplayOptions& options, const trace::TraceFile& trace, const campaign::Settings& settings,
           findings::Results& results) {
  if (!options.run.json.empty()) {
    const findings::RunDescription run{settings.program_name, settings.args, settings.run};
    const std::string text = report::json_report(run, results, HEDDLE_VERSION);
    if (auto problem = write_file_atomically(options.run.json.c_str(), text)) {
      return report_problem(*problem);
    }
  }
  const auto same = std::find_if(results.findings.begin(), results.findings.end(),
                                 [&](const auto& finding) { return finding.key == trace.finding_key; });
  fmt::print("{}", report::outputs_text(results));
  if (same != results.findings.end()) {
    fmt::print("{}", report::finding_text(*same, 0, report::colour_for_standard_output()));
    // Whether a cycle is harmful shows in the other findings of its execution.
    for (const auto& finding : results.findings)
      if (same->kind == findings::FindingKind::sc_violation && &finding != &*same)
        fmt::print("\n{}", report::finding_text(finding, 0, report::colour_for_standard_output()));
    fmt::print("heddle: replayed execution {} of {}: the same finding\n", trace.execution,
               report::printable(options.trace, report::Controls::escape));
    return static_cast<int>(ExitCode::bug_found);
  }
  for (const auto& finding : results.findings) {
    fmt::print("{}\n", report::finding_text(finding, 0, report::colour_for_standard_output()));
  }
  std::fflush(stdout);
  const std::string why = results.failure.empty() ? "" : fmt::format(": {}", results.failure);
  return report_problem(test_problem(
      fmt::format("the finding of {} ({}) was not reproduced{}", options.trace, trace.finding_message, why)));
}

}  // namespace

int command_replay(std::vector<std::string> arguments) {
  const auto options = parse_options(std::move(arguments));
  if (!options) return report_problem(options.problem());
  if (!options->help.empty()) {
    fmt::print("{}", options->help);
    return 0;
  }
  const auto trace = trace::read_trace(options->trace);
  if (!trace) return report_problem(trace.problem());
  const auto settings = make_settings(*options, *trace);
  if (!settings) return report_problem(settings.problem());
  announce_program(*options, *settings);
  if (options->gdb) return run_under_gdb(*settings);
  auto results = campaign::run_campaign(*settings);
  if (!results) return report_problem(results.problem());
  return report(*options, *trace, *settings, *results);
}

}  // namespace heddle::cli
