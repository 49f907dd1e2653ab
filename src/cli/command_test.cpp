// heddle test: a campaign and its reports.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "campaign/campaign.hpp"
#include "campaign/output_folder.hpp"
#include "cli/commands.hpp"
#include "cli/test_options.hpp"
#include "exploration/bounds.hpp"
#include "report/json.hpp"
#include "report/terminal.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::cli {

namespace {

/// --from-program: the program was started alone and put its own command line here; options come from the
/// environment.
Result<std::vector<std::string>> add_environment(std::vector<std::string> arguments) {
  if (arguments.empty() || arguments[0] != "--from-program") return arguments;
  const char* text = std::getenv("HEDDLE_OPTIONS");
  auto options = arguments_from_environment(text != nullptr ? text : "");
  if (!options) return options;
  options->insert(options->end(), arguments.begin() + 1, arguments.end());
  return options;
}

/// Once a second on a terminal, rubbed out at the end.
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

findings::RunDescription describe(const campaign::Settings& settings) {
  return {settings.program_name,
          settings.args,
          settings.strategy,
          settings.model,
          settings.release_sequence_c11 ? "c11" : "cpp20",
          settings.seed};
}

/// Everything that can be found wrong before the first execution.
Outcome check(TestOptions& options) {
  if (!options.json.empty()) {
    if (auto problem = campaign::check_file_writable(options.json, "--json")) return problem;
  }
  if (auto problem = campaign::OutputFolder(options.out).check_writable()) return problem;
  auto program = campaign::inspect_program(options.settings.program_name);
  if (!program) return program.problem();
  options.settings.program = *program;
  return {};
}

int exit_code(const findings::Results& results) {
  if (!results.failure.empty()) return report_problem(test_problem(results.failure));
  if (findings::has_bugs(results)) return static_cast<int>(ExitCode::bug_found);
  if (!results.findings.empty()) {
    return report_problem(
        test_problem("no bug, but a limit was reached, so some executions were not seen to their end"));
  }
  if (results.is_exhaustive && results.search_finished && results.statistics.cut_off != 0)
    return report_problem(
        test_problem("no bug, but executions were cut off at a bound: the search was not exhaustive"));
  if (results.is_exhaustive && !results.search_finished && !results.interrupted)
    return report_problem(test_problem("no bug, but not all executions were explored"));
  if (results.interrupted) return report_problem(test_problem("interrupted before all executions were done"));
  return static_cast<int>(ExitCode::no_bug);
}

}  // namespace

int command_verify(std::vector<std::string> arguments) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i)
    if (arguments[i] == "-s" || arguments[i] == "--strategy") {
      if (exploration::is_exhaustive(arguments[i + 1])) return command_test(std::move(arguments));
      return report_problem(usage_problem(
          fmt::format("heddle verify explores all executions; write heddle test -s {}", arguments[i + 1])));
    }
  arguments.insert(arguments.begin(), {"--strategy", campaign::exhaustive_strategy});
  return command_test(std::move(arguments));
}

int command_test(std::vector<std::string> arguments) {
  auto words = add_environment(std::move(arguments));
  if (!words) return report_problem(words.problem());
  auto options = parse_test_options(std::move(*words));
  if (!options) return report_problem(options.problem());
  if (!options->help.empty()) {
    fmt::print("{}", options->help);
    return 0;
  }
  if (auto problem = check(*options)) return report_problem(*problem);

  auto results = [&] {
    ProgressLine line(options->quiet);
    options->settings.on_progress = [&](const campaign::LiveProgress& live) { line.show(live); };
    return campaign::run_campaign(options->settings);
  }();
  if (!results) return report_problem(results.problem());

  const auto trace_problem = campaign::OutputFolder(options->out).write_traces(options->settings, *results);
  Outcome json_problem;
  if (!options->json.empty()) {
    json_problem = write_file_atomically(options->json,
                                         report::json_report(describe(options->settings), *results, HEDDLE_VERSION));
  }
  fmt::print("{}", report::terminal_report(*results, report::colour_for_standard_output(), options->quiet));
  const bool printed = std::fflush(stdout) == 0;
  const int code = exit_code(*results);
  if (trace_problem) return report_problem(*trace_problem);
  if (json_problem) return report_problem(*json_problem);
  if (!printed) return report_problem(test_problem("cannot write the report to standard output"));
  return code;
}

}  // namespace heddle::cli
