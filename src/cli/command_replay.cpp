// heddle replay: runs the execution that a trace recorded again.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/debugger.hpp"
#include "cli/run_options.hpp"
#include "report/json.hpp"
#include "report/terminal.hpp"
#include "report/text.hpp"
#include "session/explain.hpp"
#include "session/replay.hpp"
#include "trace/atomic_file.hpp"
#include "trace/trace_file.hpp"

namespace heddle::cli {

namespace {

struct ReplayOptions {
  run::RunSpecification run;  ///< json and show_output
  std::string trace;
  std::string program;  ///< empty: the program that the trace names
  bool gdb = false;
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
  auto run = make_specification(run::replay, *values);
  if (!run) return run.problem();
  options.run = *run;
  if (options.trace.empty()) return usage_problem("there is no trace to replay: write heddle replay TRACE");
  return options;
}

/// A trace names the program that it starts. If the user did not, and the program lies elsewhere, they are told first.
void announce_program(const ReplayOptions& options, const campaign::Subject& subject) {
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string() + "/";
  if (!options.program.empty() || subject.program.path.starts_with(here)) return;
  std::string command = report::shell_word(subject.program.path);
  for (const std::string& argument : subject.args) command += " " + report::shell_word(argument);
  std::fprintf(stderr, "heddle: this trace starts %s\n", report::printable(command, report::Controls::escape).c_str());
}

/// Prints the findings of the replay. The exit code says whether the finding of the trace is among them.
int report(const ReplayOptions& options, const trace::TraceFile& trace, const campaign::Subject& subject,
           findings::Results& results) {
  if (!options.run.json.empty()) {
    const findings::RunDescription run{subject.program_name, subject.args, subject.run};
    const std::string text = report::json_report(run, results, HEDDLE_VERSION);
    if (auto problem = write_file_atomically(options.run.json.c_str(), text)) {
      return report_problem(*problem);
    }
  }
  const findings::Finding* same = session::find_key(results, trace.finding_key);
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
  const auto trace = trace::read_trace(options->trace);
  if (!trace) return report_problem(trace.problem());
  auto replay = session::Replay::of_trace(*trace, options->trace, options->program);
  if (!replay) return report_problem(replay.problem());
  replay->subject.run.show_output = options->run.show_output;
  announce_program(*options, replay->subject);
  auto replayed = session::run(*replay);
  if (!replayed) return report_problem(replayed.problem());
  findings::Finding* const same = session::find_key(replayed->results, trace->finding_key);
  if (options->gdb) return run_under_gdb({options->trace, replay->subject, *replayed, same, {}, {}});
  if (same != nullptr) session::explain_replay(*replay, *same, replayed->log);
  return report(*options, *trace, replay->subject, replayed->results);
}

}  // namespace heddle::cli
