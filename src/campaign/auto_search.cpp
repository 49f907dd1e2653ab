#include "campaign/auto_search.hpp"

#include <utility>

#include "campaign/search_restart.hpp"
#include "campaign/workers/channel_gaps.hpp"
#include "models/descriptor.hpp"
#include "strategies/search_budget.hpp"
#include "strategies/strategy_specification.hpp"

namespace heddle::campaign {

using strategies::SearchStage;

namespace {

bool is_automatic(const run::RunSpecification& run) {
  strategies::SpecificationError error;
  const auto specification = strategies::parse_strategy(run.strategy.view(), error);
  return specification && specification->kind == strategies::StrategySpecification::Kind::automatic;
}

}  // namespace

AutoSearch::AutoSearch(const Settings& settings)
    : settings_(settings),
      is_wanted_(is_automatic(settings.run) && settings.mode == channel::Mode::test && settings.first_execution == 0 &&
                 settings.shard.count == 1 && settings.run.time_model == run::TimeModel::free) {
  const models::ModelDescriptor* model = models::find_model(settings.run.model.view());
  strategy_.assign(strategies::search_of_auto(model != nullptr && model->has_store_buffers));
}

bool AutoSearch::is_due(std::uint64_t begin, bool has_bugs) const {
  const SearchStage stage = strategies::search_stage(begin);
  return is_wanted_ && stage > stage_ && !(stage == SearchStage::long_search && has_bugs);
}

void AutoSearch::start(SearchStage stage, const Launch& launch, std::uint64_t begin, std::uint64_t end,
                       Clock::time_point campaign_start) {
  if (stage != stage_) stage_before_ = std::exchange(stage_, stage);
  channel::Request request = make_request(settings_, begin, 1);
  request.run.strategy = strategy_;
  request.run.racy_sites = racy_sites_;
  // Under --isolation fork no worker knows yet whether the executions of a search could share a process.
  const bool is_known = settings_.run.isolation != run::Isolation::fork;
  request.run.isolation = is_known ? run::Isolation::reset : run::Isolation::automatic;
  request.end_execution = end;
  request.is_long_search = stage == SearchStage::long_search ? 1 : 0;
  request.search_runs = strategies::most_search_runs(end == no_end ? 0 : end - begin);
  if (settings_.run.time.count() != 0) {
    const auto now = Clock::now();
    const auto left = campaign_start + settings_.run.time - now;
    if (left.count() <= 0) return;
    const auto deadline = (now + left / strategies::search_share_of_time).time_since_epoch();
    request.deadline =
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(deadline).count());
  }
  if (request.search_runs == 0) return;
  const LearningRounds no_rounds;
  if (auto worker =
          WorkerProcess::start(launch, request, {}, [&](ChannelMemory& channel) { no_rounds.announce(channel); }))
    slot_.start(std::move(*worker));
}

bool AutoSearch::change(const findings::NeededSearch& needed) {
  return drop_assumption(needed, strategy_, racy_sites_);
}

bool AutoSearch::set_strategy(std::string_view strategy, std::string_view racy_sites) {
  strategies::SpecificationError error;
  const auto specification = strategies::parse_strategy(strategy, error);
  return specification && specification->is_exhaustive() && strategy_.assign(strategy) &&
         racy_sites_.assign(racy_sites);
}

void AutoSearch::cancel() {
  if (!is_running()) return;
  slot_.worker.reset();
  stage_ = stage_before_;
}

findings::Search AutoSearch::results() {
  const Counters& counters = slot_.counters();
  const channel::Progress& progress = slot_.worker->progress();
  findings::Search search;
  search.executions = counters.executions;
  search.waiting = counters.blocked;
  search.buggy = counters.buggy;
  search.is_finished = slot_.is_plausible() && progress.search_finished.load() != 0;
  search.gaps = proof_gaps(slot_.worker->channel());
  if (search.is_finished)
    stage_ = SearchStage::long_search;  // what it does not prove another search does not prove either
  return search;
}

}  // namespace heddle::campaign
