#include "campaign/shared_search.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <limits>
#include <utility>

#include "channel/process_end.hpp"

namespace heddle::campaign {

using channel::SubtreeTask;

namespace {

// A worker that dies without a task dies for a reason that the next one meets, too.
constexpr unsigned most_idle_deaths = 5;
// After so many, workers do not make the estimate any more: the process may die in one of its runs.
constexpr unsigned few_idle_deaths = 2;
// To give a task away takes about as long as some runs. If tasks turn out smaller than `few_runs`, the next gifts have
// more branches.
constexpr std::uint64_t few_runs = 64, many_runs = 4096, most_branches = 4096;

// The sizes of units differ, and are not known beforehand. With many units, the sums of the shards differ less.
constexpr std::size_t units_a_shard = 16;

constexpr std::uint64_t most_gifts = channel::task_gifts_capacity / sizeof(channel::GiftRecord);

/// So many deaths in one execution are no chance. A SIGKILL may come from outside, and more than once.
unsigned deaths_of_a_crash(const WorkerHandle& worker) {
  const int status = worker.wait_status();
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? 4 : 2;
}

Counters difference(const Counters& a, const Counters& b) {
  return {a.executions - b.executions, a.buggy - b.buggy,   a.blocked - b.blocked,
          a.cut_off - b.cut_off,       a.events - b.events, a.escapes - b.escapes};
}

}  // namespace

SharedSearch::SharedSearch(const Settings& settings, ResultMerger& merger, std::size_t workers)
    : settings_(settings), merger_(merger),
      tasks_(settings.end_execution, [this](SharedTasks::Iterator task) { forget(task); }), work_(workers) {
  if (settings.shard.count > 1) split_.emplace(units_a_shard * settings.shard.count);
}

bool SharedSearch::is_over() const { return !split_ && tasks_.are_over(); }

/// The other workers start when the first one has shown that the program can be run, and has made the estimate.
bool SharedSearch::needs_worker(std::size_t slot) const { return !is_over() && (slot == 0 || has_begun_); }

void SharedSearch::prepare(channel::Request& request, std::size_t slot) {
  request.has_tasks = 1;
  request.estimates_search = is_estimated_ || idle_deaths_ > few_idle_deaths ? 0 : 1;
  request.end_execution = no_end;  // tasks have limits of their own
  work_[slot] = {};
}

// ---- what workers have done -------------------------------------------------------------------------------------

void SharedSearch::read(Slot& slot, std::size_t number) {
  Work& work = work_[number];
  if (!slot.is_plausible()) return;
  const channel::Progress& progress = slot.worker->progress();
  if (!is_estimated_ && progress.awaits_task.load(std::memory_order_acquire) != 0) {
    estimate_ = progress.estimate.load();
    is_estimated_ = true;
  }
  if (split_) return split_->read(slot.worker->channel());
  if (!work.is_busy) return;
  // In this order: a gift that was made before the task's end is seen.
  const bool has_ended = slot.worker->channel().task().ended.load(std::memory_order_acquire) == work.task_number;
  take_gift(slot, work);
  read_findings(slot, work);
  if (has_ended && slot.read_counters()) end_task(slot, work);
}

void SharedSearch::take_gift(Slot& slot, Work& work) {
  const ChannelMemory& channel = slot.worker->channel();
  const SubtreeTask& shared = channel.task();
  const std::uint64_t gifts = shared.gifts.load(std::memory_order_acquire);
  if (gifts == work.gifts_taken) return;
  work.gifts_taken = gifts;
  work.is_asked = false;
  if (!work.task) return;
  Task& giver = **work.task;
  Task gift;
  gift.bytes = channel.gift();
  gift.unit = giver.unit;
  gift.share = shared.gift_share;
  giver.share -= gift.share;
  giver.gifts.push_back({shared.gift_runs, work.least});
  tasks_.add_behind(*work.task, std::move(gift));
}

void SharedSearch::read_findings(Slot& slot, Work& work) {
  std::vector<findings::Finding> fresh = slot.worker->channel().new_findings();
  if (fresh.empty() || !work.task) return;
  // The worker writes its modules before its first finding.
  if (!slot.modules) {
    slot.modules = std::make_shared<findings::ModuleMap>(findings::ModuleMap::decode(slot.worker->channel().modules()));
  }
  Task& task = **work.task;
  for (findings::Finding& finding : fresh) {
    finding.modules = slot.modules;
    merger_.suppress(finding);
    // Workers stop at a bug by themselves, unless there are suppressions.
    if (settings_.run.stop_on_bug && findings::is_bug(finding) && !settings_.suppressions.empty()) {
      task.limit = std::min(task.limit, finding.execution + 1);
      tasks_.cut_behind(*work.task);
    }
    const bool is_shown = finding.kind != findings::FindingKind::output && !finding.is_suppressed;
    if (is_shown && announced_.insert(finding.key).second) {
      fresh_.push_back(finding);
      fresh_.back().execution += tasks_.runs_before(task);
    }
    task.part.findings.push_back(std::move(finding));
  }
}

void SharedSearch::read_results(Slot& slot, const Work& work, SearchPart& part) const {
  const ChannelMemory& channel = slot.worker->channel();
  part.counters = difference(slot.counters(), work.counters);
  if (!slot.is_plausible()) {
    part.runs = part.counters.executions;
    return;
  }
  part.runs = channel.task().runs.load(std::memory_order_acquire);
  part.abandoned = channel.progress().abandoned.load() - work.abandoned;
  part.dropped = channel.progress().findings_dropped.load() - work.dropped;
  part.explored = channel.task().explored;
  for (std::size_t i = 0; i < part.findings.size(); ++i) {
    part.findings[i].count = channel.count_of(i);
    part.findings[i].first_count = channel.first_count_of(i);
    part.findings[i].is_timely = channel.is_timely(i);
    part.findings[i].is_without_race = channel.is_without_race(i);
  }
}

/// The worker does not explore its task any more. Returns the task, with its results; nothing: it has been discarded.
std::optional<SharedTasks::Iterator> SharedSearch::end_work(Slot& slot, Work& work) {
  work.is_busy = work.is_asked = false;
  const auto task = std::exchange(work.task, std::nullopt);
  if (task) read_results(slot, work, (*task)->part);
  return task;
}

void SharedSearch::end_task(Slot& slot, Work& work) {
  const End end = slot.worker->channel().task().end;
  const auto ended = end_work(slot, work);
  if (!ended) return;
  Task& task = **ended;
  task.state = end == End::explored ? Task::State::explored : Task::State::ended;
  if (SharedTasks::reopen_beyond_limit(task)) return;
  if (task.state == Task::State::ended) tasks_.cut_behind(*ended);
  adapt_gifts(task);
  tasks_.apply_run_limit();
  tasks_.fold(*ended);
}

void SharedSearch::adapt_gifts(const Task& task) {
  if (task.part.runs < few_runs) least_branches_ = std::min(least_branches_ * 2, most_branches);
  if (task.part.runs > many_runs) least_branches_ = std::max<std::uint64_t>(least_branches_ / 2, 1);
}

/// The task is about to be discarded. command() tells its worker.
void SharedSearch::forget(SharedTasks::Iterator task) {
  for (Work& work : work_)
    if (work.task == task) work.task.reset();
}

// ---- what workers are to do -------------------------------------------------------------------------------------

/// Cuts the search with the first worker, and takes the units of this shard when that is done.
void SharedSearch::continue_split(std::vector<Slot>& slots) {
  Slot& slot = slots.front();
  const bool waits =
      slot.worker && slot.is_plausible() && slot.worker->progress().awaits_task.load(std::memory_order_acquire) != 0;
  if (!split_->is_done()) {
    if (waits && !split_->is_busy()) split_->begin(slot.worker->channel());
    return;
  }
  tasks_.clear();
  unit_count_ = 0;
  for (const SearchSplit::Unit& unit : split_->units()) {
    const std::uint64_t number = unit_count_++;
    if (number % settings_.shard.count != settings_.shard.index) continue;
    Task task;
    task.unit = number;
    task.bytes = unit.bytes;
    task.gifts = unit.gifts;
    task.share = unit.share;
    tasks_.add_last(std::move(task));
  }
  split_.reset();
}

void SharedSearch::distribute(std::vector<Slot>& slots) {
  if (split_) return continue_split(slots);
  tasks_.apply_run_limit();
  std::size_t idle = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Slot& slot = slots[i];
    Work& work = work_[i];
    if (!slot.worker || !slot.is_plausible()) continue;
    if (work.is_busy) {
      command(slot, work);
      continue;
    }
    if (slot.worker->progress().awaits_task.load(std::memory_order_acquire) == 0) continue;
    const auto open = tasks_.first_open();
    if (!open) {
      ++idle;
      continue;
    }
    assign(slot, work, *open);
    has_begun_ = true;
  }
  if (idle != 0) ask_for_gifts(slots, idle);
}

void SharedSearch::assign(Slot& slot, Work& work, SharedTasks::Iterator task) {
  ChannelMemory& channel = slot.worker->channel();
  (void)slot.read_counters();
  work.task = task;
  work.is_busy = true;
  work.is_asked = false;
  work.gifts_taken = channel.task().gifts.load(std::memory_order_acquire);
  work.counters = slot.counters();
  work.abandoned = channel.progress().abandoned.load();
  work.dropped = channel.progress().findings_dropped.load();
  task->state = Task::State::runs;
  task->part = {};
  channel.begin_task(task->bytes, task->gifts, tasks_.limit_of(*task));
  work.task_number = channel.task().number.load();
}

/// Tells a busy worker that its task has been discarded, or where the task ends now.
void SharedSearch::command(Slot& slot, const Work& work) const {
  SubtreeTask& shared = slot.worker->channel().task();
  if (!work.task) {
    shared.command.store(SubtreeTask::Command::drop);
    return;
  }
  std::atomic_ref<std::uint64_t>(shared.most_runs).store(tasks_.limit_of(**work.task), std::memory_order_relaxed);
}

/// Asks the workers that have most left to explore.
void SharedSearch::ask_for_gifts(std::vector<Slot>& slots, std::size_t wanted) {
  for (const Work& work : work_)
    if (work.is_asked && wanted != 0) --wanted;
  const auto left_of = [&](std::size_t i) {
    return (*work_[i].task)->share - slots[i].worker->progress().explored.load(std::memory_order_relaxed);
  };
  for (; wanted != 0; --wanted) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (!slots[i].worker || !work_[i].task || work_[i].is_asked || (*work_[i].task)->gifts.size() >= most_gifts)
        continue;
      if (!best || left_of(i) > left_of(*best)) best = i;
    }
    if (!best) return;
    ask(slots[*best], work_[*best], least_branches_);
  }
}

void SharedSearch::ask(Slot& slot, Work& work, std::uint64_t least) {
  work.is_asked = true;
  work.least = least;
  SubtreeTask& shared = slot.worker->channel().task();
  shared.least = least;
  shared.command.store(SubtreeTask::Command::give, std::memory_order_release);
}

void SharedSearch::ask_for_ends(std::vector<Slot>& slots) {
  constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (slots[i].worker && work_[i].task && !work_[i].is_asked && (*work_[i].task)->gifts.size() < most_gifts)
      ask(slots[i], work_[i], all);
}

// ---- workers that have ended ------------------------------------------------------------------------------------

void SharedSearch::stopped(Slot& slot, std::size_t number) {
  if (const auto task = end_work(slot, work_[number])) (*task)->state = Task::State::ended;
}

void SharedSearch::failed(Slot& slot, std::size_t number, const std::string& why,
                          std::optional<findings::NeededSearch> needed) {
  const bool had_task = work_[number].is_busy;
  const auto ended = end_work(slot, work_[number]);
  if (!ended && had_task) return;  // the task has been discarded
  split_.reset();
  const auto task = ended ? *ended : tasks_.first();
  task->state = Task::State::ended;
  task->failure = why;
  task->needed_search = std::move(needed);
  tasks_.cut_behind(task);
}

Outcome SharedSearch::died(Slot& slot, std::size_t number) {
  const bool had_task = work_[number].is_busy;
  const auto ended = end_work(slot, work_[number]);
  if (split_ && split_->is_busy()) {
    split_->worker_ended();
    return {};
  }
  if (!ended) {
    if (had_task || ++idle_deaths_ <= most_idle_deaths) return {};
    return test_problem(fmt::format("{} ends again and again before it is explored: {}", settings_.program_name,
                                    channel::ProcessEnd(slot.worker->wait_status()).text));
  }
  Task& task = **ended;
  task.deaths = task.death_place == task.part.runs ? task.deaths + 1 : 1;
  task.death_place = task.part.runs;
  if (slot.killed() == Killed::no && slot.is_plausible() && task.deaths < deaths_of_a_crash(*slot.worker)) {
    task.part = {};
    task.state = Task::State::open;
    return {};
  }
  // Each worker dies in this execution, and what would come after it is lost with the worker's memory.
  SearchPart& part = task.part;
  if (auto finding = slot.lost_execution(part.runs, settings_.run)) {
    finding->modules = slot.modules;
    merger_.suppress(*finding);
    ++(findings::is_bug(*finding) ? part.counters.buggy : part.counters.cut_off);
    part.findings.push_back(std::move(*finding));
  }
  ++part.counters.executions;
  ++part.runs;
  task.state = Task::State::ended;
  tasks_.cut_behind(*ended);
  return {};
}

// ---- results ----------------------------------------------------------------------------------------------------

std::vector<findings::Finding> SharedSearch::take_fresh() { return std::exchange(fresh_, {}); }

void SharedSearch::add_to(LiveProgress& live, const std::vector<Slot>& slots) const {
  std::set<std::uint64_t> bugs;
  for (const Task& task : tasks_) {
    for (const findings::Finding& finding : task.part.findings)
      if (findings::is_bug(finding)) bugs.insert(finding.key);
    if (!task.is_over()) continue;
    live.executions += task.part.counters.executions;
    live.buggy += task.part.counters.buggy;
    live.explored += task.part.explored.rounded();
  }
  live.bugs += bugs.size();
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (!slots[i].worker || !work_[i].task) continue;
    const Counters counters = difference(slots[i].counters(), work_[i].counters);
    live.executions += counters.executions;
    live.buggy += counters.buggy;
    live.explored += slots[i].worker->progress().explored.load(std::memory_order_relaxed);
  }
}

bool SharedSearch::save(ResumePoint& point) const {
  if (split_) return false;
  point.is_estimated = is_estimated_;
  point.tasks = tasks_.save();
  return true;
}

void SharedSearch::restore(const CampaignState& state) {
  split_.reset();
  estimate_ = state.estimate;
  unit_count_ = state.unit_count;
  is_estimated_ = state.resume->is_estimated;
  tasks_.restore(state.resume->tasks);
}

void SharedSearch::finish() {
  auto [all, is_finished] = tasks_.take_results();
  merger_.add_search_summary({is_finished, estimate_, all.explored.rounded()});
  merger_.add_search_part(std::move(all));
}

}  // namespace heddle::campaign
