// heddle merge: the results of shards become the result of one campaign.
#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "campaign/output_folder.hpp"
#include "campaign/shard_merge.hpp"
#include "cli/commands.hpp"
#include "cli/print_results.hpp"
#include "cli/run_options.hpp"
#include "report/text.hpp"
#include "run/values.hpp"
#include "session/reports/report.hpp"

namespace heddle::cli {

namespace {

struct MergeOptions {
  std::vector<std::string> paths;
  std::string program;  ///< empty: where the shards ran it
  GivenValues values;
};

Result<MergeOptions> parse_options(std::vector<std::string> arguments) {
  MergeOptions options;
  RunOptions parser(run::merge, "heddle merge [OPTIONS] DIR...",
                    "Makes one result of the shards that heddle test --shard or heddle verify --shard left in the\n"
                    "folders, and reports it as heddle test does.");
  CLI::App& app = parser.app();
  app.add_option("DIR", options.paths, "a folder that --out named, or a file in it");
  app.add_option("--program", options.program, "where the program is, if it has been moved")->type_name("PATH");
  auto values = parser.parse(std::move(arguments));
  if (!values) return values.problem();
  if (options.paths.empty()) return usage_problem("there is nothing to merge: write heddle merge DIR...");
  // The shards know the other options. These are checked before anything is read.
  if (auto run = make_specification(run::merge, *values); !run) return run.problem();
  options.values = std::move(*values);
  return options;
}

/// What the shards have run, with the options of heddle merge.
Result<campaign::Subject> subject_of(const campaign::CampaignIdentity& identity, const MergeOptions& options) {
  campaign::Subject subject;
  subject.run = identity.run;
  subject.run.shard.assign("");
  subject.program = identity.program;
  subject.program_name = identity.program_name;
  subject.args = identity.args;
  // What the shards wrote is not written again.
  run::RunSpecification& run = subject.run;
  for (run::Text* path : {&run.json, &run.junit, &run.sarif, &run.html, &run.baseline, &run.results}) path->assign("");
  subject.run.quiet = false;
  subject.run.annotations = run::Annotations::none;
  subject.run.out.assign(run::default_specification(run::merge).out.view());
  for (const auto& [field, value] : options.values)
    if (const auto wrong = run::parse_value(*field, value.text, subject.run))
      return usage_problem(fmt::format("{} {}: {}", value.option, value.text, *wrong));
  return subject;
}

/// Why findings cannot be explained: the program of the shards is not here. Empty: it is.
std::string find_program(campaign::Subject& subject, const MergeOptions& options) {
  const auto program = campaign::inspect_program(options.program.empty() ? subject.program.path : options.program);
  if (!program) return program.problem().text;
  if (program->build_id != subject.program.build_id)
    return fmt::format("{} is another build than the one that the shards ran", program->path);
  subject.program = *program;
  return {};
}

int merge_and_report(const MergeOptions& options) {
  auto merged = campaign::merge_shards(options.paths);
  if (!merged) return report_problem(merged.problem());
  for (const std::string& why : merged->refused)
    fmt::print(stderr, "heddle: refused: {}\n", report::printable(why, report::Controls::escape));
  auto subject = subject_of(merged->identity, options);
  if (!subject) return report_problem(subject.problem());
  campaign::OutputFolder folder(subject->run.out.c_str());
  if (auto problem = folder.check_writable()) return report_problem(*problem);
  auto files = session::open_report_files(subject->run);
  if (!files) return report_problem(files.problem());
  const std::string without_program = find_program(*subject, options);
  const bool has_findings = !merged->results.findings.empty() && subject->run.explain != run::Explain::none;
  if (!without_program.empty() && !options.program.empty()) return report_problem(usage_problem(without_program));
  if (!without_program.empty() && has_findings)
    fmt::print(stderr, "heddle: the findings are not explained: {}; --program says where the program is\n",
               report::printable(without_program, report::Controls::escape));
  return print_results({*subject, merged->results, folder, *files,
                        without_program.empty() ? session::Explains::yes : session::Explains::no});
}

}  // namespace

int command_merge(std::vector<std::string> arguments) {
  const auto options = parse_options(std::move(arguments));
  if (!options) return report_problem(options.problem());
  return merge_and_report(*options);
}

}  // namespace heddle::cli
