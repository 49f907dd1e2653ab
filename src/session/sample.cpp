#include "session/sample.hpp"

#include <utility>

#include "campaign/campaign.hpp"

namespace heddle::session {

Result<Sampled> run(const Sample& sample) {
  campaign::Settings settings(sample.subject);
  sample.limit.apply_to(settings);
  settings.end_execution = sample.executions;
  settings.run.strategy.assign("auto");
  settings.run.jobs = 1;
  settings.run.isolation = sample.isolation;
  settings.run.stop_on_bug = sample.stops_at_bug;
  settings.run.corpus.assign("");
  settings.run.cycle.assign("");
  settings.run.show_output = false;
  auto results = campaign::run_campaign(settings);
  if (!results) return results.problem();
  return Sampled{settings, std::move(*results)};
}

}  // namespace heddle::session
