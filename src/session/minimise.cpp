#include "session/minimise.hpp"

#include <utility>

#include "campaign/campaign.hpp"
#include "campaign/workers/channel_memory.hpp"

namespace heddle::session {

Result<Simplest> find_simplest(const Minimise& task) {
  if (!task.replay.is_recorded)
    return test_problem("the decisions of this execution were not recorded, because its process died");
  auto search = campaign_of(task.replay);
  if (!search) return search.problem();
  Simplest simplest{task.replay, {}};
  search->mode = channel::Mode::minimize;
  search->recording = channel::Recording::nothing;
  search->minimization = {task.finding_key, task.budget.tries, task.budget.events};
  search->read_channel = [&](const campaign::ChannelMemory& channel) {
    simplest.counts = channel.progress().minimized;
  };
  auto results = campaign::run_campaign(*search);
  if (!results) return results.problem();
  if (!results->failure.empty()) return test_problem(results->failure);
  const findings::Finding* found = find_key(*results, task.finding_key);
  if (found == nullptr || simplest.counts.tries == 0)
    return test_problem(
        "the execution cannot be minimised: it is too long, or something that heddle does not control influences it");
  simplest.replay.decisions = found->decisions;
  return simplest;
}

Result<Minimised> run(const Minimise& task) {
  auto simplest = find_simplest(task);
  if (!simplest) return simplest.problem();
  auto replayed = run(simplest->replay);
  if (!replayed) return replayed.problem();
  findings::Finding* shown = find_key(replayed->results, task.finding_key);
  if (shown == nullptr)
    return test_problem(
        "the minimised execution does not show the finding when it is repeated: something that heddle "
        "does not control influences it");
  return Minimised{std::move(*shown), std::move(replayed->log), simplest->counts};
}

}  // namespace heddle::session
