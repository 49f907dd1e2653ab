#include "campaign/campaign_loop.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "findings/hints.hpp"
#include "findings/symbolizer.hpp"
#include "run/quantities.hpp"
#include "strategies/strategy_specification.hpp"

namespace heddle::campaign {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds poll_interval{20};
constexpr milliseconds stop_grace{2000};

/// Of settings whose strategy is wrong, any: the worker reports the error.
strategies::StrategySpecification specification_of(const Settings& settings) {
  strategies::SpecificationError error;
  return strategies::parse_strategy(settings.run.strategy.view(), error).value_or(strategies::StrategySpecification{});
}

std::size_t number_of_workers(const Settings& settings) {
  const std::uint64_t executions = (settings.end_execution - settings.first_execution) / settings.shard.count;
  const std::uint64_t most = settings.run.jobs * number_of_places(settings);
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(executions, 1, most));
}

}  // namespace

CampaignLoop::CampaignLoop(const Settings& settings)
    : settings_(settings), is_exhaustive_(strategies::is_exhaustive(settings.run.strategy.view())),
      end_(settings.end_execution), pool_(make_pool(settings, number_of_workers(settings))),
      slots_(number_of_workers(settings)), launch_{settings.program.path,
                                                   {settings.program_name},
                                                   settings.run.stdin_path.c_str(),
                                                   settings.run.aslr,
                                                   settings.prepare_channel},
      rounds_(specification_of(settings), settings.run.seed, settings.first_execution),
      merger_(rounds_, &settings.suppressions), meter_(settings, start_, slots_),
      next_checkpoint_(start_ + settings.run.checkpoint) {
  launch_.argv.insert(launch_.argv.end(), settings.args.begin(), settings.args.end());
}

Result<findings::Results> CampaignLoop::run() {
  if (auto problem = launch_.use_orders(settings_.run.orders.view(), settings_.sites.get(), settings_.counts_sites))
    return *problem;
  std::string skipped;
  if (!settings_.run.corpus.empty()) {
    auto loaded = rounds_.keep_corpus_in(settings_.run.corpus.c_str(), settings_.program);
    if (!loaded) return loaded.problem();
    skipped = *loaded;
  }
  if (settings_.resumed != nullptr) {
    try {
      restore(*settings_.resumed);
    } catch (const BadValue&) {
      return test_problem("the state that --resume names is not what this heddle writes; name another folder");
    }
    seconds_before_ = settings_.resumed->seconds;
  }
  for (Slot& slot : slots_)
    slot.isolation = merger_.isolation() == run::Isolation::automatic ? settings_.run.isolation : merger_.isolation();
  start_workers();
  while (!problem_ && is_running()) {
    if (pool_->wait(poll_interval, work_here())) {
      interrupted_ = true;
      end_early(Clock::now());
    }
    step();
  }
  const bool is_complete = !interrupted_ && !ends_after_saving_ && failure_.empty() && has_done_all();
  if (!problem_ && is_complete) save();
  slots_.clear();  // kills the workers that still run
  pool_->send(rounds_);
  if (problem_) return *problem_;
  if (auto problem = rounds_.finish()) return *problem;
  findings::Results results = finish();
  if (results.warning.empty()) results.warning = skipped;
  return results;
}

bool CampaignLoop::is_running() const {
  return is_saving() || has_more_to_do() ||
         std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.worker != nullptr; });
}

/// What the workers of this machine do.
WorkHere CampaignLoop::work_here() const {
  for (const Slot& slot : slots_)
    if (slot.worker && slot.worker->is_computing_here()) return work_of_workers();
  return has_more_to_do() ? WorkHere::sampling : WorkHere::none;
}

// ---- workers ----------------------------------------------------------------------------------------------------

void CampaignLoop::start_worker(Slot& slot) {
  channel::Request request = make_request(settings_, slot.next, 1);
  request.run.isolation = slot.isolation;
  prepare(request, slot);
  // Workers that stop by themselves have not done the executions up to a certain number.
  if (settings_.run.time.count() != 0 && !keeps_state()) {
    const auto deadline = (start_ + settings_.run.time).time_since_epoch();
    request.deadline =
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(deadline).count());
  }
  auto worker = pool_->start(number_of(slot), launch_, request, settings_.decisions, rounds_);
  if (!worker) {
    problem_ = worker.problem();
    return;
  }
  slot.start(std::move(*worker));
}

bool CampaignLoop::is_over(Slot& slot, Clock::time_point now) {
  const bool over = slot.worker->reap();
  if (slot.read_counters()) read_findings(slot);
  if (!over) slot.watch(now, settings_.run);
  return over;
}

std::vector<WorkerHandle*> CampaignLoop::workers() {
  std::vector<WorkerHandle*> running;
  for (Slot& slot : slots_)
    if (slot.worker) running.push_back(slot.worker.get());
  return running;
}

void CampaignLoop::stop_all() {
  if (!stopping_since_) stopping_since_ = Clock::now();
  for (const WorkerHandle* worker : workers()) worker->stop();
}

bool CampaignLoop::was_killed_while_stopping(const WorkerHandle& worker) const {
  return is_stopping() && WIFSIGNALED(worker.wait_status()) && WTERMSIG(worker.wait_status()) == SIGKILL;
}

// ---- a step -----------------------------------------------------------------------------------------------------

void CampaignLoop::step() {
  if (auto problem = pool_->poll()) problem_ = problem;
  if (!problem_) act();
  pool_->send(rounds_);
}

void CampaignLoop::act() {
  const auto now = Clock::now();
  for (Slot& slot : slots_) {
    if (slot.worker && is_over(slot, now)) {
      meter_.worker_ended(slot);
      worker_ended(slot);
    }
    if (problem_) return;
  }
  direct_workers(now);
  if (settings_.ends_at && now >= *settings_.ends_at) {
    problem_ = test_problem("the time of --time has passed");
    return;
  }
  if (is_out_of_time(now)) end_in_time(now);
  if (keeps_state()) continue_saving(now);
  if (stopping_since_ && now - *stopping_since_ > stop_grace)
    for (WorkerHandle* worker : workers()) worker->kill();
  if (settings_.on_progress) settings_.on_progress(progress());
}

LiveProgress CampaignLoop::progress() {
  LiveProgress live;
  live.executions = merger_.statistics().executions;
  live.buggy = merger_.statistics().buggy;
  live.bugs = merger_.bugs();
  add_progress(live);
  meter_.complete(live, end_, seconds_before_);
  return live;
}

/// --time has passed: the workers end after their current execution, or are killed. The first execution gets more time.
void CampaignLoop::end_in_time(Clock::time_point now) {
  const std::vector<WorkerHandle*> running = workers();
  // A search may have made executions that do not count.
  const bool has_abandoned = std::any_of(running.begin(), running.end(), [](const WorkerHandle* worker) {
    return worker->progress().abandoned.load() != 0;
  });
  if (has_abandoned || progress().executions != 0 || settings_.resumed != nullptr) {
    if (!ends_after_saving_) end_early(now);
    return;
  }
  constexpr milliseconds at_least{10'000};
  const milliseconds grace = std::max(settings_.run.timeout, at_least);
  if (overtime(now) < grace) return;
  problem_ = test_problem(
      fmt::format("no execution of {} ended within --time and another {}; raise --time, or give the program less to do",
                  settings_.program_name, run::format_duration(grace)));
}

/// The time that each worker of this machine has had since --time has passed: processor time, and real time in which
/// all processes wait. Other programs on the machine do not matter.
milliseconds CampaignLoop::overtime(Clock::time_point now) {
  overtime_.look(now, activity_of(::getpid()));
  return overtime_.total() / std::max<std::size_t>(workers().size(), 1);
}

/// Interrupted, or out of time: writes the state if one is kept, and ends.
void CampaignLoop::end_early(Clock::time_point now) {
  const bool is_first_time = !std::exchange(ends_after_saving_, true);
  if (!keeps_state() || is_stopping() || !is_first_time) return stop_all();
  prepare_last_state();
  if (!can_save()) return stop_all();
  if (is_saving()) return;
  saving_since_ = now;
  begin_saving();
}

// ---- the state to continue from ------------------------------------------------------------------------------------

void CampaignLoop::continue_saving(Clock::time_point now) {
  if (is_stopping()) saving_since_.reset();
  if (!is_saving()) {
    if (is_stopping() || now < next_checkpoint_ || !can_save()) return;
    saving_since_ = now;
    begin_saving();
    return;
  }
  if (!is_ready_to_save(now) || problem_) return;
  save();
  saving_since_.reset();
  next_checkpoint_ = now + settings_.run.checkpoint;
  ends_after_saving_ ? stop_all() : continue_after_saving();
}

void CampaignLoop::save() {
  if (!keeps_state()) return;
  CampaignState current = state(elapsed());
  ResumePoint point;
  point.end = end_;
  point.rounds = rounds_.save();
  if (!save_to(point)) return;
  point.has_begun_again = settings_.has_begun_again;
  if (settings_.has_begun_again) point.racy_sites = settings_.run.racy_sites.view();
  findings::Symbolizer symbolizer;
  for (SavedTask& task : point.tasks)
    for (findings::Finding& finding : task.result.part.findings) findings::add_names(finding, symbolizer);
  current.units.clear();  // the tasks have them
  current.resume = std::move(point);
  settings_.on_checkpoint(settings_, std::move(current));
}

/// Also of the processes that this campaign continues from.
double CampaignLoop::elapsed() const {
  return seconds_before_ + std::chrono::duration<double>(Clock::now() - start_).count();
}

CampaignState CampaignLoop::state(double seconds) {
  CampaignState state;
  state.sampled = merger_.state();
  state.is_exhaustive = is_exhaustive_;
  state.interrupted = interrupted_;
  state.stopped_by_limit = stopped_by_limit_;
  state.failure = failure_;
  state.seconds = seconds;
  add_to(state);
  findings::Symbolizer symbolizer;
  for (SearchUnit& unit : state.units)
    for (findings::Finding& finding : unit.part.findings) findings::add_names(finding, symbolizer);
  return state;
}

findings::Results CampaignLoop::finish() {
  const double seconds = elapsed();
  if (settings_.on_state) settings_.on_state(state(seconds));
  finish_results();
  findings::Results results =
      merger_.finish(settings_.run.stop_on_bug && !is_exhaustive_,
                     {settings_.first_execution + settings_.shard.index, settings_.shard.count});
  results.statistics.seconds = seconds;
  results.interrupted = interrupted_;
  results.is_exhaustive = is_exhaustive_;
  results.failure = failure_;
  results.stopped_by_limit = stopped_by_limit_;
  add_to(results);
  if (results.isolation == run::Isolation::automatic) results.isolation = settings_.run.isolation;
  findings::Symbolizer symbolizer;
  for (findings::Finding& finding : results.findings) findings::add_names(finding, symbolizer);
  return results;
}

}  // namespace heddle::campaign
