// heddle replay: runs the execution that a trace recorded again.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/debugger.hpp"
#include "cli/explain_run.hpp"
#include "cli/replay_run.hpp"
#include "cli/run_options.hpp"
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
  app.add_flag(
      "--gdb", options.gdb,
      "start gdb at the finding, with the commands heddle-events, heddle-step, heddle-back and heddle-threads");
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
  const findings::Finding* same = find_same(results, trace);
  fmt::print("{}", report::outputs_text(results));
  if (same != nullptr) {
    fmt::print("{}", report::finding_text(*same, 0, report::colour_for_standard_output()));
    // Whether a cycle is harmful shows in the other findings of its execution.
    for (const auto& finding : results.findings)
      if (same->kind == findings::FindingKind::sc_violation && &finding != same)
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
  auto settings = replay_settings(*trace, options->trace, options->program);
  if (!settings) return report_problem(settings.problem());
  settings->run.show_output = options->run.show_output;
  announce_program(*options, *settings);
  auto replay = replay_with_log(*settings);
  if (!replay) return report_problem(replay.problem());
  if (options->gdb) return run_under_gdb(options->trace, *settings, *replay, find_same(replay->results, *trace));
  if (findings::Finding* same = find_same(replay->results, *trace)) explain_replay(*settings, *same, replay->log);
  return report(*options, *trace, *settings, replay->results);
}

}  // namespace heddle::cli
