#include "cli/trial_run.hpp"

namespace heddle::cli {

campaign::Settings trial_settings(const campaign::Settings& settings, run::Isolation isolation,
                                  std::uint64_t executions) {
  campaign::Settings trial;
  trial.run = settings.run;
  trial.program = settings.program;
  trial.program_name = settings.program_name;
  trial.args = settings.args;
  trial.suppressions = settings.suppressions;
  trial.sites = settings.sites;
  trial.run.strategy.assign("auto");
  trial.run.jobs = 1;
  trial.run.stop_on_bug = false;
  trial.run.corpus.assign("");
  trial.run.cycle.assign("");
  trial.run.show_output = false;
  trial.run.isolation = isolation;
  trial.end_execution = executions;
  return trial;
}

}  // namespace heddle::cli
