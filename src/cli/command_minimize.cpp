// heddle minimize: the simplest execution that shows the finding of a trace.
#include <fmt/format.h>

#include <cstdio>

#include "campaign/output_folder.hpp"
#include "cli/commands.hpp"
#include "cli/run_options.hpp"
#include "report/terminal.hpp"
#include "report/text.hpp"
#include "session/explain.hpp"
#include "session/minimise.hpp"
#include "trace/trace_file.hpp"

namespace heddle::cli {

namespace {

struct MinimizeOptions {
  std::string trace;
  std::string program;  ///< empty: the program that the trace names
  std::string output;   ///< empty: the trace itself
  std::uint64_t tries = session::command_budget.tries;
};

Result<MinimizeOptions> parse_options(std::vector<std::string> arguments) {
  MinimizeOptions options;
  RunOptions parser(
      run::minimize, "heddle minimize [OPTIONS] TRACE",
      "Looks for the simplest execution that shows the finding of TRACE, and writes its trace: one without\n"
      "stale reads if there is one, with the fewest context switches, stale reads and events.");
  CLI::App& app = parser.app();
  app.add_option("TRACE", options.trace, "a file that heddle test or heddle verify wrote");
  app.add_option("-o,--output", options.output, "where to write the trace (default: TRACE itself)")->type_name("FILE");
  app.add_option("--program", options.program, "where the program is now, if it has been moved")->type_name("PATH");
  app.add_option("--tries", options.tries, fmt::format("executions to try at most (default: {})", options.tries))
      ->type_name("N");
  const auto values = parser.parse(std::move(arguments));
  if (!values) return values.problem();
  if (options.trace.empty()) return usage_problem("there is no trace to minimise: write heddle minimize TRACE");
  if (options.tries == 0) return usage_problem("--tries 0: there is nothing to try; write at least 1");
  if (options.output.empty()) options.output = options.trace;
  if (auto problem = campaign::check_file_writable(options.output, "--output")) return *problem;
  return options;
}

std::string text_of(const channel::Minimized::Cost& cost) {
  return fmt::format("{} context switches, {} stale reads, {} events", cost.switches, cost.stale_reads, cost.events);
}

int minimize_and_report(const MinimizeOptions& options) {
  auto trace = trace::read_trace(options.trace);
  if (!trace) return report_problem(trace.problem());
  const auto replay = session::Replay::of_trace(*trace, options.trace, options.program);
  if (!replay) return report_problem(replay.problem());
  auto minimized =
      session::run(session::Minimise{*replay, trace->finding_key, {options.tries, session::command_budget.events}});
  if (!minimized) return report_problem(minimized.problem());
  trace->decisions = minimized->finding.decisions;
  trace->finding_message = minimized->finding.message;
  if (auto problem = trace::write_trace(options.output, *trace)) return report_problem(*problem);
  session::explain_replay(*replay, minimized->finding, minimized->log);
  fmt::print("{}", report::finding_text(minimized->finding, 0, report::colour_for_standard_output()));
  const channel::Minimized& counts = minimized->counts;
  fmt::print("heddle: minimised in {} executions\n", counts.tries);
  fmt::print("heddle: before: {}\n", text_of(counts.first));
  fmt::print("heddle: now:    {}\n", text_of(counts.best));
  fmt::print("heddle: wrote {}\n", report::printable(options.output, report::Controls::escape));
  return std::fflush(stdout) == 0 ? static_cast<int>(ExitCode::bug_found)
                                  : report_problem(test_problem("cannot write the report to standard output"));
}

}  // namespace

int command_minimize(std::vector<std::string> arguments) {
  const auto options = parse_options(std::move(arguments));
  if (!options) return report_problem(options.problem());
  return minimize_and_report(*options);
}

}  // namespace heddle::cli
