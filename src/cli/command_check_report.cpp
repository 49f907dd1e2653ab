// heddle check-report: libheddle starts this command when a heddle::check has findings. It prints what
// abi/start/check_result.cpp reads: the number of findings, six lines for each of them, and the report.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "report/terminal.hpp"
#include "report/text.hpp"
#include "session/check_report.hpp"

namespace heddle::cli {

namespace {

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace

int command_check_report(const std::vector<std::string>& arguments) {
  int fd = -1;
  if (arguments.size() != 3 ||
      std::from_chars(arguments[0].data(), arguments[0].data() + arguments[0].size(), fd).ec != std::errc{}) {
    return report_problem(
        usage_problem("check-report is an internal command that libheddle starts; it is not for users"));
  }
  const std::string& name = arguments[2];
  const auto reported = session::run(session::CheckReport{fd, arguments[1]});
  if (!reported) return report_problem(reported.problem());
  const findings::Results& results = reported->results;
  const run::RunSpecification& run = reported->subject.run;

  fmt::print("{}\n", results.findings.size());
  for (const findings::Finding& finding : results.findings) {
    fmt::print("{}\n{}\n{}\n{}\n{}\n{}\n", channel::name_of(finding.kind), one_line(report::headline(finding)),
               one_line(finding.trace), finding.execution, finding.count,
               finding.strategy.empty() ? run.strategy.c_str() : finding.strategy);
  }
  const auto& figures = results.statistics;
  for (const findings::Finding& finding : results.findings)
    fmt::print("{}", report::finding_text(finding, figures.executions, report::Colour::never));
  fmt::print("{}", report::learnt_text(results));
  if (reported->unwritten) fmt::print("heddle: no trace was written: {}\n", reported->unwritten->text);
  fmt::print("heddle: {}: {} executions, {} buggy, seed {}, strategy {}, model {}\n", name, figures.executions,
             figures.buggy, run.seed, run.strategy.view(), run.model.view());
  return 0;
}

}  // namespace heddle::cli
