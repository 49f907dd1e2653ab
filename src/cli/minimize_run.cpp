#include "cli/minimize_run.hpp"

#include <algorithm>
#include <utility>

#include "campaign/campaign.hpp"
#include "campaign/workers/channel_memory.hpp"

namespace heddle::cli {

namespace {

findings::Finding* find_key(findings::Results& results, std::uint64_t key) {
  const auto found = std::find_if(results.findings.begin(), results.findings.end(),
                                  [&](const findings::Finding& finding) { return finding.key == key; });
  return found == results.findings.end() ? nullptr : &*found;
}

}  // namespace

Result<MinimizedExecution> minimize_execution(const campaign::Settings& settings, std::uint64_t finding_key,
                                              const MinimizationBudget& budget) {
  if (settings.mode != channel::Mode::replay)
    return test_problem("the decisions of this execution were not recorded, because its process died");
  MinimizedExecution minimized{};
  campaign::Settings search = settings;
  search.mode = channel::Mode::minimize;
  search.minimization = {finding_key, budget.tries, budget.events};
  search.read_channel = [&](const campaign::ChannelMemory& channel) {
    minimized.counts = channel.progress().minimized;
  };
  auto results = campaign::run_campaign(search);
  if (!results) return results.problem();
  if (!results->failure.empty()) return test_problem(results->failure);
  const findings::Finding* simplest = find_key(*results, finding_key);
  if (simplest == nullptr || minimized.counts.tries == 0)
    return test_problem(
        "the execution cannot be minimised: it is too long, or something that heddle does not control influences it");
  campaign::Settings again = settings;
  again.decisions = simplest->decisions;
  auto replay = replay_with_log(again);
  if (!replay) return replay.problem();
  findings::Finding* shown = find_key(replay->results, finding_key);
  if (shown == nullptr)
    return test_problem(
        "the minimised execution does not show the finding when it is repeated: something that heddle "
        "does not control influences it");
  minimized.finding = std::move(*shown);
  minimized.log = std::move(replay->log);
  return minimized;
}

}  // namespace heddle::cli
