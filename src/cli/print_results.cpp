#include "cli/print_results.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "cli/commands.hpp"
#include "report/terminal.hpp"
#include "session/reports/report_files.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::cli {

namespace {

Outcome print(const std::string& path, const std::string& text) {
  if (!path.empty() && path != "stdout" && path != "stderr")
    return write_file_atomically(fmt::format("{}.{}", path, ::getpid()), text);
  FILE* stream = path == "stderr" ? stderr : stdout;
  fmt::print(stream, "{}", text);
  if (std::fflush(stream) == 0) return {};
  return test_problem("cannot write the report to standard output");
}

}  // namespace

int print_results(const session::Report& report) {
  const auto reported = session::run(report);
  if (!reported) return report_problem(reported.problem());
  const run::RunSpecification& run = report.subject.run;
  const std::string text = reported->graphs + session::annotations(report.subject, report.results) +
                           report::terminal_report(report.results, report::colour_for_standard_output(), run.quiet);
  const auto unprinted = print(std::string(run.log_path.view()), text);
  const session::Verdict& verdict = reported->verdict;
  if (!verdict.why.empty()) report_problem({verdict.code, verdict.why});
  if (reported->unwritten) return report_problem(*reported->unwritten);
  if (unprinted) return report_problem(*unprinted);
  return static_cast<int>(verdict.code == ExitCode::bug_found ? run.exitcode
                                                              : static_cast<std::uint64_t>(verdict.code));
}

}  // namespace heddle::cli
