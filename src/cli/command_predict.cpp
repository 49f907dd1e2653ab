// heddle predict: cycles that a relaxed memory model may allow, predicted and confirmed.
#include <fmt/format.h>

#include <cstdio>

#include "campaign/output_folder.hpp"
#include "campaign/workers/program_file.hpp"
#include "cli/commands.hpp"
#include "cli/prediction_run.hpp"
#include "cli/run_options.hpp"
#include "report/prediction.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::cli {

namespace {

struct PredictOptions {
  campaign::Settings settings;
  std::string help;
};

Result<PredictOptions> parse_options(std::vector<std::string> arguments) {
  const std::string usage = "heddle predict [OPTIONS] PROGRAM [ARGS...]";
  RunOptions parser(run::predict, usage,
                    "Predicts violations of sequential consistency from executions of PROGRAM under sc, and tries to\n"
                    "show each of them under other memory models. Options end at PROGRAM.");
  parser.end_at_first_argument();
  const auto values = parser.parse(std::move(arguments));
  if (!values) return values.problem();
  PredictOptions options;
  options.help = parser.help();
  if (!options.help.empty()) return options;
  const std::vector<std::string> program = parser.remaining();
  if (program.empty()) return usage_problem("there is no program: write " + usage);
  if (program[0].starts_with("-")) return parser.unknown_option(program[0]);
  auto run = make_specification(run::predict, *values);
  if (!run) return run.problem();
  options.settings.run = *run;
  options.settings.program_name = program[0];
  options.settings.args.assign(program.begin() + 1, program.end());
  return options;
}

int exit_code(const prediction::Results& results) {
  if (results.has_buggy_cycle()) return static_cast<int>(ExitCode::bug_found);
  if (results.interrupted) return report_problem(test_problem("interrupted before all trials were done"));
  return static_cast<int>(ExitCode::no_bug);
}

int predict_and_report(campaign::Settings& settings) {
  if (auto problem = campaign::OutputFolder(settings.run.out.c_str()).check_writable()) return report_problem(*problem);
  auto program = campaign::inspect_program(settings.program_name);
  if (!program) return report_problem(program.problem());
  settings.program = *program;
  const auto results = run_prediction(settings);
  if (!results) return report_problem(results.problem());
  Outcome json_problem;
  if (!settings.run.json.empty()) {
    const findings::RunDescription run{settings.program_name, settings.args, settings.run};
    json_problem =
        write_file_atomically(settings.run.json.c_str(), report::prediction_json(run, *results, HEDDLE_VERSION));
  }
  fmt::print("{}", report::prediction_text(*results, settings.run.quiet));
  const bool printed = std::fflush(stdout) == 0;
  const int code = exit_code(*results);
  if (json_problem) return report_problem(*json_problem);
  if (!printed) return report_problem(test_problem("cannot write the report to standard output"));
  return code;
}

}  // namespace

int command_predict(std::vector<std::string> arguments) {
  auto options = parse_options(std::move(arguments));
  if (!options) return report_problem(options.problem());
  if (!options->help.empty()) {
    fmt::print("{}", options->help);
    return static_cast<int>(ExitCode::no_bug);
  }
  return predict_and_report(options->settings);
}

}  // namespace heddle::cli
