#include "session/minimise.hpp"

#include <utility>

#include "campaign/campaign.hpp"
#include "campaign/workers/channel_memory.hpp"

namespace heddle::session {

Result<Minimised> run(const Minimise& task) {
  if (!task.replay.is_recorded)
    return test_problem("the decisions of this execution were not recorded, because its process died");
  auto search = campaign_of(task.replay);
  if (!search) return search.problem();
  Minimised minimised{};
  search->mode = channel::Mode::minimize;
  search->recording = channel::Recording::nothing;
  search->minimization = {task.finding_key, task.budget.tries, task.budget.events};
  search->read_channel = [&](const campaign::ChannelMemory& channel) {
    minimised.counts = channel.progress().minimized;
  };
  auto results = campaign::run_campaign(*search);
  if (!results) return results.problem();
  if (!results->failure.empty()) return test_problem(results->failure);
  const findings::Finding* simplest = find_key(*results, task.finding_key);
  if (simplest == nullptr || minimised.counts.tries == 0)
    return test_problem(
        "the execution cannot be minimised: it is too long, or something that heddle does not control influences it");
  Replay again = task.replay;
  again.decisions = simplest->decisions;
  auto replayed = run(again);
  if (!replayed) return replayed.problem();
  findings::Finding* shown = find_key(replayed->results, task.finding_key);
  if (shown == nullptr)
    return test_problem(
        "the minimised execution does not show the finding when it is repeated: something that heddle "
        "does not control influences it");
  minimised.finding = std::move(*shown);
  minimised.log = std::move(replayed->log);
  return minimised;
}

}  // namespace heddle::session
