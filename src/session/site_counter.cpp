#include "session/site_counter.hpp"

#include <algorithm>

#include "campaign/campaign.hpp"
#include "campaign/workers/channel_memory.hpp"
#include "session/program_trial.hpp"

namespace heddle::session {

namespace {
// Of --time, counting the operations takes half at most. Less than this shows nothing.
constexpr std::chrono::milliseconds least_counting{2'000};
}  // namespace

Outcome SiteCounter::count(const campaign::Subject& program) {
  if (takes_search(program.run) && budget_.search != 0) {
    campaign::Settings search = settings(program, "exhaustive:native=1");
    search.run.keep_going = true;
    search.end_execution = budget_.search;
    const auto searched = run_search(search);
    if (searched && searched->interrupted) return test_problem("interrupted before the first trial");
    if (searched && findings::is_all_explored(*searched) && searched->failure.empty()) return std::nullopt;
  }
  campaign::Settings samples = settings(program, "auto");
  samples.end_execution = budget_.samples;
  const auto counted = campaign::run_campaign(samples);
  if (!counted) return counted.problem();
  if (counted->interrupted) return test_problem("interrupted before the first trial");
  if (counted->statistics.executions == 0)
    return test_problem(counted->failure.empty() ? "no execution of the program ended" : counted->failure);
  return std::nullopt;
}

campaign::Settings SiteCounter::settings(const campaign::Subject& program, const char* strategy) {
  campaign::Settings counting(program);
  counting.run.strategy.assign(strategy);
  counting.run.jobs = 1;
  counting.run.stop_on_bug = false;
  counting.counts_sites = true;
  if (deadline_) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*deadline_ - Clock::now());
    counting.run.time = std::max(least_counting, left / 2);
  }
  counting.read_channel = [&](const campaign::ChannelMemory& channel) { sites_.count(channel.site_orders()); };
  return counting;
}

}  // namespace heddle::session
