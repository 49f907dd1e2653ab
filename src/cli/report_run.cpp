#include "cli/report_run.hpp"

#include <string>

#include "cli/commands.hpp"
#include "cli/explain_run.hpp"
#include "cli/report_files.hpp"
#include "cli/search_graphs.hpp"
#include "findings/groups.hpp"
#include "report/terminal.hpp"

namespace heddle::cli {

namespace {

int exit_code(const campaign::Settings& settings, const findings::Results& results) {
  if (!results.failure.empty()) return report_problem(test_problem(results.failure));
  if (findings::has_bugs(results)) return static_cast<int>(ExitCode::bug_found);
  if (!results.incomplete.empty()) return report_problem(test_problem("no bug, but " + results.incomplete));
  if (!results.stopped_by_limit.empty()) return report_problem(test_problem("no bug, but " + results.stopped_by_limit));
  if (!results.findings.empty()) {
    return report_problem(test_problem("no bug, but a limit was reached, so some executions did not run to their end"));
  }
  if (results.is_exhaustive && results.search_finished && results.statistics.cut_off != 0)
    return report_problem(
        test_problem("no bug, but executions were cut off at a bound: the search was not exhaustive"));
  if (results.is_exhaustive && !results.search_finished && !results.interrupted)
    return report_problem(test_problem("no bug, but not all executions were explored"));
  if (results.interrupted) return report_problem(test_problem("interrupted before all executions were done"));
  // A shard of a short campaign may have nothing to do.
  if (results.statistics.executions == 0 && settings.shard.count == 1)
    return report_problem(test_problem("no execution was run to its end"));
  return static_cast<int>(ExitCode::no_bug);
}

}  // namespace

int report_results(const campaign::Settings& settings, findings::Results& results, campaign::OutputFolder& folder,
                   Explains explains) {
  findings::group_by_root(results.findings);
  std::string graphs;
  if (explains == Explains::yes) {
    explain_findings(settings, results);
    const auto shown = show_graphs(settings, results);
    if (!shown) return report_problem(shown.problem());
    graphs = *shown;
  }
  const auto trace_problem = folder.write_traces(settings, results);
  const auto file_problem = write_report_files(settings, results);
  const std::string text = graphs + annotations(settings, results) +
                           report::terminal_report(results, report::colour_for_standard_output(), settings.run.quiet);
  const auto print_problem = print_report(settings, text);
  const int code = exit_code(settings, results);
  if (trace_problem) return report_problem(*trace_problem);
  if (file_problem) return report_problem(*file_problem);
  if (print_problem) return report_problem(*print_problem);
  return code == static_cast<int>(ExitCode::bug_found) ? static_cast<int>(settings.run.exitcode) : code;
}

}  // namespace heddle::cli
