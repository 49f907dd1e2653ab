// heddle predict: cycles that a relaxed memory model may allow, predicted and confirmed.
#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/run_options.hpp"
#include "report/prediction.hpp"
#include "session/predict.hpp"
#include "session/test.hpp"
#include "trace/atomic_file.hpp"

namespace heddle::cli {

namespace {

struct PredictOptions {
  campaign::Subject subject;
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
  const std::vector<std::string> program = parser.remaining();
  if (program.empty()) return usage_problem("there is no program: write " + usage);
  if (program[0].starts_with("-")) return parser.unknown_option(program[0]);
  auto run = make_specification(run::predict, *values);
  if (!run) return run.problem();
  options.subject.run = *run;
  options.subject.program_name = program[0];
  options.subject.args.assign(program.begin() + 1, program.end());
  return options;
}

int exit_code(const prediction::Results& results) {
  if (results.has_buggy_cycle()) return static_cast<int>(ExitCode::bug_found);
  if (results.interrupted) return report_problem(test_problem("interrupted before all trials were done"));
  return static_cast<int>(ExitCode::no_bug);
}

int predict_and_report(campaign::Subject& subject) {
  if (auto problem = session::prepare(subject)) return report_problem(*problem);
  TerminalObserver observer(subject.run.quiet);
  const auto results = session::run(session::Predict{subject, split_names(subject.run.model.view()), observer});
  if (!results) return report_problem(results.problem());
  Outcome json_problem;
  if (!subject.run.json.empty()) {
    const findings::RunDescription run{subject.program_name, subject.args, subject.run};
    json_problem =
        write_file_atomically(subject.run.json.c_str(), report::prediction_json(run, *results, HEDDLE_VERSION));
  }
  fmt::print("{}", report::prediction_text(*results, subject.run.quiet));
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
  return predict_and_report(options->subject);
}

}  // namespace heddle::cli
