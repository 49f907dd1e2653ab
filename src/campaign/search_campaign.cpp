#include "campaign/search_campaign.hpp"

#include <csignal>
#include <string>

#include "campaign/search_restart.hpp"

namespace heddle::campaign {

namespace {
// So long workers may continue with the branch that they keep before a state is written.
constexpr std::chrono::milliseconds branch_grace{500};
}  // namespace

SearchCampaign::SearchCampaign(const Settings& settings)
    : CampaignLoop(settings), search_(settings, merger_, slots_.size()) {}

void SearchCampaign::restore(const CampaignState& state) {
  rounds_.restore(state.resume->rounds);
  merger_.restore(state.sampled);
  search_.restore(state);
}

void SearchCampaign::start_workers() {
  for (Slot& slot : slots_) {
    slot.next = settings_.first_execution;
    if (!problem_ && search_.needs_worker(number_of(slot))) start_worker(slot);
  }
}

void SearchCampaign::prepare(channel::Request& request, const Slot& slot) { search_.prepare(request, number_of(slot)); }

void SearchCampaign::direct_workers(Clock::time_point now) {
  continue_search(now);
  if (!settings_.on_finding) return;
  for (const findings::Finding& finding : search_.take_fresh()) settings_.on_finding(finding, run::Isolation::reset);
}

/// Gives the workers what to do. Ends them when nothing is left.
void SearchCampaign::continue_search(Clock::time_point now) {
  if (is_stopping()) return;
  if (search_.is_over()) {
    stopping_since_ = now;
    for (WorkerHandle* worker : workers()) worker->kill();  // all results have been read
    return;
  }
  search_.distribute(slots_);
  for (Slot& slot : slots_)
    if (!slot.worker && !problem_ && search_.needs_worker(number_of(slot))) start_worker(slot);
}

void SearchCampaign::worker_ended(Slot& slot) {
  WorkerHandle& worker = *slot.worker;
  channel::Progress& progress = worker.progress();
  const channel::State state = progress.state.load(std::memory_order_acquire);
  const std::size_t number = number_of(slot);
  if (slot.read_counters()) {
    search_.read(slot, number);
    if (settings_.read_channel) settings_.read_channel(worker.channel());
    merger_.add_process(worker.channel());
  }
  if (slot.is_plausible() && progress.failure.load() != channel::Failure::none) {
    search_.failed(slot, number, worker.channel().failure_text(), needed_search(progress));
  } else if (!slot.is_plausible() || (state == channel::State::running && !was_killed_while_stopping(worker)) ||
             was_killed_from_outside(slot)) {
    if (auto problem = search_.died(slot, number)) problem_ = *problem;
  } else if (state == channel::State::spawned || state == channel::State::loaded) {
    if (!is_stopping()) problem_ = slot.never_ran(state, settings_);
  } else {
    search_.stopped(slot, number);
  }
  slot.worker.reset();
}

bool SearchCampaign::was_killed_from_outside(const Slot& slot) const {
  const int status = slot.worker->wait_status();
  return !is_stopping() && slot.killed() == Killed::no && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

bool SearchCampaign::is_ready_to_save(Clock::time_point now) {
  return now - *saving_since_ >= branch_grace || search_.is_over();
}

bool SearchCampaign::has_done_all() const {
  return search_.is_over() && !search_.needed_search();  // otherwise another search follows
}

void SearchCampaign::add_to(CampaignState& state) const {
  state.estimate = search_.estimate();
  state.unit_count = search_.unit_count();
  state.units = search_.units();
  state.failure = search_.failure();
}

void SearchCampaign::add_to(findings::Results& results) const {
  results.failure = search_.failure();
  results.needed_search = search_.needed_search();
}

}  // namespace heddle::campaign
