#include "campaign/sampling_campaign.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "campaign/search_restart.hpp"

namespace heddle::campaign {

namespace {

// How long executions may take to end before the campaign ends without a last state.
constexpr std::chrono::milliseconds last_save_grace{10'000};

strategies::SearchStage search_stage_of(std::uint64_t number) {
  if (number > static_cast<std::uint64_t>(strategies::SearchStage::long_search)) throw BadValue{};
  return static_cast<strategies::SearchStage>(number);
}

/// The next worker of the slot takes over the isolation that this one chose.
void keep_isolation(Slot& slot) {
  const channel::Isolation used = slot.worker->progress().isolation_used.load();
  if (used == channel::Isolation::reset || used == channel::Isolation::fork) slot.isolation = used;
}

}  // namespace

SamplingCampaign::SamplingCampaign(const Settings& settings) : CampaignLoop(settings) {}

// ---- workers ----------------------------------------------------------------------------------------------------

/// The first execution of the slot that is not below `from`.
std::uint64_t SamplingCampaign::number_from(std::size_t slot, std::uint64_t from) const {
  const std::uint64_t first = settings_.first_execution + settings_.shard.index + slot * settings_.shard.count;
  return from <= first ? first : first + (from - first + stride() - 1) / stride() * stride();
}

void SamplingCampaign::start_workers() {
  for (Slot& slot : slots_) slot.next = number_from(number_of(slot), done_below_);
  start_idle_slots();
}

/// Starts a worker in each slot that has none, and has executions left.
void SamplingCampaign::start_idle_slots() {
  for (Slot& slot : slots_)
    if (!slot.worker && !problem_ && slot.next < worker_end()) start_worker(slot);
}

void SamplingCampaign::prepare(channel::Request& request, const Slot&) {
  request.stride = stride();
  request.end_execution = worker_end();
  request.gate = gate_.position();
}

bool SamplingCampaign::has_workers() const {
  return std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.worker != nullptr; });
}

std::vector<WorkerHandle*> SamplingCampaign::workers() {
  std::vector<WorkerHandle*> running = CampaignLoop::workers();
  if (search_.is_running()) running.push_back(search_.slot().worker.get());
  return running;
}

void SamplingCampaign::read_findings(Slot& slot) {
  // What a search that is cancelled has found does not count, so it is added when the search has ended.
  if (&slot == &search_.slot() && keeps_state()) return;
  add_findings_of(slot);
}

void SamplingCampaign::add_findings_of(Slot& slot) {
  std::vector<findings::Finding> fresh = slot.worker->channel().new_findings();
  if (fresh.empty()) return;
  // The worker writes its modules before its first finding.
  if (!slot.modules)
    slot.modules = std::make_shared<findings::ModuleMap>(findings::ModuleMap::decode(slot.worker->channel().modules()));
  for (const findings::Finding& finding : fresh)
    slot.announced.push_back({finding.key, finding.count, finding.first_count});
  merger_.add_findings(std::move(fresh), slot.modules);
}

void SamplingCampaign::worker_ended(Slot& slot) {
  WorkerHandle& worker = *slot.worker;
  const channel::Progress& progress = worker.progress();
  const channel::State state = progress.state.load(std::memory_order_acquire);
  if (!slot.read_counters()) {
    merger_.add_counters(slot.counters());
    return lose_execution(slot);
  }
  if (settings_.read_channel) settings_.read_channel(worker.channel());
  merger_.add_worker(worker.channel(), slot.announced);
  if (progress.failure.load() != channel::Failure::none) {
    if (failure_.empty()) failure_ = worker.channel().failure_text();
    stop_all();
  } else if (state == channel::State::running && !was_killed_while_stopping(worker)) {
    return lose_execution(slot);
  } else if (state == channel::State::spawned || state == channel::State::loaded) {
    if (!is_stopping()) problem_ = slot.never_ran(state, settings_);
  }
  if (slot.counters().executions != 0) slot.next = slot.current_execution(stride()) + stride();
  keep_isolation(slot);
  slot.worker.reset();
}

/// The worker died within an execution. Counts that execution, and starts a new worker for the rest.
void SamplingCampaign::lose_execution(Slot& slot) {
  const std::uint64_t execution = slot.current_execution(stride());
  if (auto finding = slot.lost_execution(execution, settings_.run))
    merger_.add_lost_execution(std::move(*finding));
  else
    merger_.add_ordinary_end(execution);
  keep_isolation(slot);
  slot.worker.reset();
  slot.next = execution + stride();
  if (settings_.run.stop_on_bug) stop_behind_first_bug();
  const bool overflow = slot.next < execution;
  const bool time_is_up = is_out_of_time(Clock::now()) && !keeps_state();
  if (!is_stopping() && !time_is_up && !overflow && slot.next < worker_end()) start_worker(slot);
}

void SamplingCampaign::add_progress(LiveProgress& live) {
  for (Slot& slot : slots_) {
    if (!slot.worker) continue;
    live.executions += slot.counters().executions;
    live.buggy += slot.counters().buggy;
    live.graphs += slot.worker->progress().graphs.load();
  }
  if (!search_.is_running()) return;
  live.executions += search_.slot().counters().executions;
  live.buggy += search_.slot().counters().buggy;
}

// ---- what workers do next ---------------------------------------------------------------------------------------

void SamplingCampaign::direct_workers(Clock::time_point now) {
  if (search_.is_running() && is_over(search_.slot(), now)) search_ended();
  announce_findings();
  if (settings_.run.stop_on_bug) stop_behind_first_bug();
  if (is_saving()) return;
  move_gate();
  begin_next_round();
}

void SamplingCampaign::announce_findings() {
  if (!settings_.on_finding) return;
  for (const findings::Finding* finding : merger_.take_changed())
    settings_.on_finding(*finding,
                         merger_.isolation() == run::Isolation::automatic ? isolation_in_use() : merger_.isolation());
}

/// The isolation that the workers that still run have chosen.
run::Isolation SamplingCampaign::isolation_in_use() {
  run::Isolation used = settings_.run.isolation;
  for (Slot& slot : slots_) {
    if (!slot.worker) continue;
    const channel::Isolation isolation = slot.worker->progress().isolation_used.load();
    if (isolation == channel::Isolation::reset || isolation == channel::Isolation::fork) used = isolation;
  }
  return used;
}

/// Ends the campaign if every execution so far reached the same limit.
void SamplingCampaign::move_gate() {
  LimitGate::Totals totals{merger_.statistics().executions, merger_.statistics().cut_off, merger_.statistics().buggy};
  std::size_t running = 0, at_gate = 0, before_round = 0;
  for (Slot& slot : slots_) {
    if (!slot.worker) continue;
    ++running;
    // A worker looks at the round first: one that waits for the next round is behind the gate, too.
    if (slot.worker->progress().waits_at_gate.load() == gate_.position())
      ++at_gate;
    else if (slot.worker->progress().awaits_round.load() != 0)
      ++before_round;
    // After that: a worker that was seen to wait has counted its last execution.
    (void)slot.read_counters();
    totals.executions += slot.counters().executions;
    totals.cut_off += slot.counters().cut_off;
    totals.buggy += slot.counters().buggy;
  }
  // Without a worker that is left, the campaign has done all it was asked to.
  totals.all_wait = at_gate != 0 && at_gate + before_round == running;
  const auto limits = merger_.limits();
  switch (gate_.update(totals, limits)) {
    case LimitGate::Verdict::stays: return;
    case LimitGate::Verdict::moved:
      for (Slot& slot : slots_) {
        if (slot.worker) slot.worker->channel().set_gate(gate_.position());
      }
      return;
    case LimitGate::Verdict::ends_campaign:
      if (!is_stopping()) stopped_by_limit_ = limit_sentence(settings_, *limits.begin(), totals.executions);
      stop_all();
  }
}

/// Starts the next round if every worker that is left waits for it. A search of `auto` may come before it.
void SamplingCampaign::begin_next_round() {
  if (is_stopping() || search_.is_running() || rounds_.end() >= end_) return;
  std::vector<ChannelMemory*> waiting;
  for (Slot& slot : slots_) {
    if (!slot.worker) continue;
    if (!rounds_.is_awaited_by(slot.worker->channel())) return;
    waiting.push_back(&slot.worker->channel());
  }
  if (waiting.empty() || !rounds_.learns()) return;
  for (Slot& slot : slots_)
    if (slot.worker && slot.read_counters()) read_findings(slot);
  if (asks_for_recordings(waiting)) return;
  const std::uint64_t begin = rounds_.end();
  if (search_.is_due(begin, merger_.bugs() != 0) && may_use_reset())
    search_.start(strategies::search_stage(begin), launch_, begin, end_, start_);
  if (!search_.is_running()) merger_.next_round(waiting);
}

/// A pool may keep recordings that are seldom needed. True: some of them are needed, and not here yet.
bool SamplingCampaign::asks_for_recordings(const std::vector<ChannelMemory*>& waiting) {
  if (!pool_->keeps_recordings()) return false;
  const std::uint64_t end = rounds_.end_of_needed_recordings(waiting);
  bool asks = false;
  for (Slot& slot : slots_) asks = (slot.worker && slot.worker->wants_recordings(end)) || asks;
  return asks;
}

/// Can a worker run many executions? Under --isolation fork it has to try.
bool SamplingCampaign::may_use_reset() {
  if (settings_.run.isolation == run::Isolation::fork) return true;
  // Workers that continue from a state may not have said yet what they use.
  const run::Isolation before = merger_.isolation(), now = isolation_in_use();
  return (now == run::Isolation::automatic ? before : now) == run::Isolation::reset && before != run::Isolation::fork;
}

/// A search of `auto` has ended. If it explored everything, so is the campaign.
void SamplingCampaign::search_ended() {
  Slot& slot = search_.slot();
  if (slot.read_counters()) add_findings_of(slot);
  const findings::Search search = search_.results();
  merger_.add_search(slot.worker->channel(), search, slot.announced, slot.counters());
  rounds_.skip(search.executions);
  const auto needed = needed_search(slot.worker->progress());
  const bool begins_again = slot.is_plausible() && needed && search_.change(*needed) && !is_stopping();
  slot.worker.reset();
  if (begins_again) return search_.start(search_.stage(), launch_, rounds_.end_of_skipped(), end_, start_);
  if (search.is_proof()) end_at(rounds_.end());
}

/// Leaves out the executions after the first buggy one, so that the result does not depend on the workers' speed.
void SamplingCampaign::stop_behind_first_bug() {
  const auto first = merger_.first_buggy_execution();
  if (first && *first < end_) end_at(*first);
}

/// Leaves out the executions from this number on.
void SamplingCampaign::end_at(std::uint64_t execution) {
  end_ = execution;
  for (WorkerHandle* worker : workers()) worker->channel().lower_end(end_);
}

// ---- the state to continue from ------------------------------------------------------------------------------------

void SamplingCampaign::restore(const CampaignState& state) {
  rounds_.restore(state.resume->rounds);
  merger_.restore(state.sampled);
  search_.skip(search_stage_of(state.resume->searches));
  if (!search_.set_strategy(state.resume->search, state.resume->racy_sites)) throw BadValue{};
  done_below_ = state.resume->next;
  end_ = std::min(end_, state.resume->end);
}

void SamplingCampaign::begin_saving() {
  catches_up_ = false;
  save_at_ = done_below_;
  for (const Slot& slot : slots_)
    if (slot.worker) save_at_ = std::max(save_at_, slot.worker->progress().current_execution.load() + 1);
  for (WorkerHandle* worker : workers()) worker->channel().lower_end(save_at_);
}

bool SamplingCampaign::is_ready_to_save(Clock::time_point now) {
  if (has_workers()) {
    if (ends_after_saving_ && now - *saving_since_ > last_save_grace) stop_all();
    return false;
  }
  if (!catches_up_) catch_up();
  return !has_workers();
}

/// A worker may have gone beyond save_at_ before it learnt of it.
void SamplingCampaign::catch_up() {
  catches_up_ = true;
  for (const Slot& slot : slots_)
    if (slot.next >= stride()) save_at_ = std::max(save_at_, slot.next - stride() + 1);
  start_idle_slots();
}

bool SamplingCampaign::save_to(ResumePoint& point) {
  point.next = done_below_ = is_saving() ? save_at_ : end_;
  point.searches = static_cast<std::uint64_t>(search_.stage());
  point.search = search_.strategy();
  point.racy_sites = search_.racy_sites();
  return true;
}

}  // namespace heddle::campaign
