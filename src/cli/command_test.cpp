// heddle test and heddle verify: a campaign and its reports.
#include <string>
#include <utility>

#include "campaign/output_folder.hpp"
#include "cli/commands.hpp"
#include "cli/print_results.hpp"
#include "cli/progress.hpp"
#include "cli/rank_session.hpp"
#include "cli/test_options.hpp"
#include "session/reports/report.hpp"
#include "session/test.hpp"

namespace heddle::cli {

namespace {

int test_and_report(run::Use command, const TestOptions& options, campaign::WorkerPlaces* places) {
  const run::RunSpecification& run = options.subject.run;
  auto files = session::open_report_files(run);
  if (!files) return report_problem(files.problem());
  campaign::OutputFolder folder(run.out.c_str());
  TerminalObserver observer(run.quiet);
  auto tested = session::run(session::Test{command, {options.subject, options.shard, places, observer, folder}});
  if (!tested) return report_problem(tested.problem());
  const auto explains = run.shard.empty() ? session::Explains::yes : session::Explains::no;
  const int code =
      print_results({tested->subject, tested->results, folder, *files, explains, options.shard, tested->deadline});
  return tested->unsaved ? report_problem(*tested->unsaved) : code;
}

int run_command(run::Use command, std::vector<std::string> arguments) {
  RankSession ranks(arguments);
  if (const auto done = ranks.open()) return *done;
  auto options = parse_test_options(command, std::move(arguments));
  if (!options) return report_problem(options.problem());
  if (auto problem = session::prepare(options->subject)) return report_problem(*problem);
  if (auto problem = ranks.begin(options->subject)) return report_problem(*problem);
  return test_and_report(command, *options, ranks.places());
}

}  // namespace

int command_test(std::vector<std::string> arguments) { return run_command(run::test, std::move(arguments)); }

int command_verify(std::vector<std::string> arguments) { return run_command(run::verify, std::move(arguments)); }

}  // namespace heddle::cli
