// heddle test and heddle verify: a campaign and its reports.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "campaign/campaign.hpp"
#include "campaign/output_folder.hpp"
#include "cli/commands.hpp"
#include "cli/test_options.hpp"
#include "report/json.hpp"
#include "report/terminal.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::cli {

namespace {

/// A line on the terminal that is updated once a second, and erased at the end.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet) : shown_(!quiet && ::isatty(2) == 1) {}
  ~ProgressLine() {
    if (written_) fmt::print(stderr, "\r\033[K");
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const campaign::LiveProgress& live) {
    if (!shown_ || live.seconds < next_) return;
    next_ = live.seconds + 1;
    if (live.seconds < 1) return;
    fmt::print(stderr, "\r\033[Kheddle: {} executions ({:.0f}/s), {} buggy, {} bugs", live.executions,
               static_cast<double>(live.executions) / live.seconds, live.buggy, live.bugs);
    if (live.graphs != 0) fmt::print(stderr, ", {} graphs", live.graphs);
    fmt::print(stderr, ", {:.0f} s", live.seconds);
    if (live.explored == 0 && live.seconds_left > 0) fmt::print(stderr, ", about {:.0f} s left", live.seconds_left);
    if (live.explored > 0)
      fmt::print(stderr, ", {:.1f} % explored, about {:.0f} s left", 100 * live.explored,
                 live.seconds * (1 - live.explored) / live.explored);
    std::fflush(stderr);
    written_ = true;
  }

 private:
  bool shown_;
  bool written_ = false;
  double next_ = 1;
};

/// Finds the program, and checks that traces can be written.
Outcome prepare(campaign::Settings& settings) {
  if (auto problem = campaign::OutputFolder(settings.run.out.c_str()).check_writable()) return problem;
  auto program = campaign::inspect_program(settings.program_name);
  if (!program) return program.problem();
  settings.program = *program;
  return {};
}

int exit_code(const findings::Results& results) {
  if (!results.failure.empty()) return report_problem(test_problem(results.failure));
  if (findings::has_bugs(results)) return static_cast<int>(ExitCode::bug_found);
  if (!results.findings.empty()) {
    return report_problem(test_problem("no bug, but a limit was reached, so some executions did not run to their end"));
  }
  if (results.is_exhaustive && results.search_finished && results.statistics.cut_off != 0)
    return report_problem(
        test_problem("no bug, but executions were cut off at a bound: the search was not exhaustive"));
  if (results.is_exhaustive && !results.search_finished && !results.interrupted)
    return report_problem(test_problem("no bug, but not all executions were explored"));
  if (results.interrupted) return report_problem(test_problem("interrupted before all executions were done"));
  return static_cast<int>(ExitCode::no_bug);
}

/// Runs the campaign and reports its results.
int run_and_report(campaign::Settings& settings) {
  const bool quiet = settings.run.quiet;
  auto results = [&] {
    ProgressLine line(quiet);
    settings.on_progress = [&](const campaign::LiveProgress& live) { line.show(live); };
    return campaign::run_campaign(settings);
  }();
  if (!results) return report_problem(results.problem());

  const auto trace_problem = campaign::OutputFolder(settings.run.out.c_str()).write_traces(settings, *results);
  Outcome json_problem;
  if (!settings.run.json.empty()) {
    const findings::RunDescription run{settings.program_name, settings.args, settings.run};
    json_problem = write_file_atomically(settings.run.json.c_str(), report::json_report(run, *results, HEDDLE_VERSION));
  }
  fmt::print("{}", report::terminal_report(*results, report::colour_for_standard_output(), quiet));
  const bool printed = std::fflush(stdout) == 0;
  const int code = exit_code(*results);
  if (trace_problem) return report_problem(*trace_problem);
  if (json_problem) return report_problem(*json_problem);
  if (!printed) return report_problem(test_problem("cannot write the report to standard output"));
  return code;
}

int run_command(run::Use command, std::vector<std::string> arguments) {
  auto options = parse_test_options(command, std::move(arguments));
  if (!options) return report_problem(options.problem());
  if (!options->help.empty()) {
    fmt::print("{}", options->help);
    return static_cast<int>(ExitCode::no_bug);
  }
  if (auto problem = prepare(options->settings)) return report_problem(*problem);
  return run_and_report(options->settings);
}

}  // namespace

int command_test(std::vector<std::string> arguments) { return run_command(run::test, std::move(arguments)); }

int command_verify(std::vector<std::string> arguments) { return run_command(run::verify, std::move(arguments)); }

}  // namespace heddle::cli
