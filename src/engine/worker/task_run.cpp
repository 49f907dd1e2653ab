#include "engine/worker/task_run.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>

#include "engine/isolation/real.hpp"

namespace heddle::engine {

using channel::SubtreeTask;

namespace {

// Enough for an order of magnitude, and too little to be felt. Not a time: the same search gets the same estimate.
constexpr std::uint64_t most_probes = 100;
constexpr std::uint64_t most_probing_runs = 300;
constexpr std::uint64_t most_probing_events = 300'000;

}  // namespace

void TaskRun::run(IsolationChoice& isolation) {
  const channel::Request& request = channel_.request;
  if (judge_.find_unseen_code()) isolation.require_shared_process(request.first_execution);
  const channel::Isolation wanted = request.run.isolation;
  // What is left to explore is in this process.
  process_.use_isolation(wanted == channel::Isolation::automatic ? channel::Isolation::reset : wanted);
  judge_.begin_search(false);
  judge_.look_for_unseen_code();
  if (exploration() != nullptr && request.estimates_search != 0) estimate(request.first_execution);
  while (await_task()) explore_task();
}

/// Probes the search for a moment, before it begins.
void TaskRun::estimate(std::uint64_t number) {
  exploration::Exploration& search = *exploration();
  search.start_probing(channel_.request.run.seed);
  std::uint64_t events = 0;
  for (std::uint64_t run = 0; run < most_probing_runs && events < most_probing_events; ++run) {
    if (ledger_.is_cancelled(number) || ledger_.is_late() || search.probe().completed() == most_probes ||
        (search.probe().completed() != 0 && search.probe().estimate() == 1))
      break;
    process_.discard_output();
    executor_.begin(number);
    executor_.make(number);
    judge_.can_continue();
    events += engine_.events_executed();
    process_.reset();
    if (ledger_.has_failed()) ledger_.finish();
  }
  if (search.probe().completed() != 0)
    channel_.progress.estimate.store(search.probe().estimate(), std::memory_order_relaxed);
  search.stop_probing();
}

/// Waits for the next task. False: the campaign ended.
bool TaskRun::await_task() {
  const std::uint32_t last = task_.ended.load(std::memory_order_relaxed);
  bool told = false;
  for (;;) {
    if (task_.number.load(std::memory_order_acquire) != last) break;
    if (ledger_.should_stop(0)) return false;
    channel_.progress.awaits_task.store(1, std::memory_order_release);
    if (!told) wake_driver();
    told = true;
    const timespec interval{0, 100'000'000};  // after which should_stop() looks at the clock
    real().syscall(SYS_futex, &task_.number, FUTEX_WAIT, last, &interval, nullptr, 0);
  }
  channel_.progress.awaits_task.store(0, std::memory_order_relaxed);
  return true;
}

void TaskRun::explore_task() {
  const std::uint32_t number = task_.number.load(std::memory_order_relaxed);
  task_.runs.store(0, std::memory_order_relaxed);
  executor_.begin_task();
  if (exploration() != nullptr) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(channel_.at(channel::task_offset));
    if (!exploration()->load({bytes, task_.size}))
      return ledger_.fail(channel::Failure::fault, "the description of a part of the search cannot be read");
    channel_.progress.explored.store(0, std::memory_order_relaxed);
  }
  const std::optional<End> end = explore_until_end();
  if (exploration() != nullptr) task_.explored = exploration()->exactly_explored();
  if (!end) ledger_.finish();
  task_.end = *end;
  task_.ended.store(number, std::memory_order_release);
}

/// Nothing: the campaign ended.
std::optional<SubtreeTask::End> TaskRun::explore_until_end() {
  const auto* gifts = reinterpret_cast<const channel::GiftRecord*>(channel_.at(channel::task_gifts_offset));
  const std::uint64_t buggy_before = ledger_.buggy();
  std::uint64_t next_gift = 0;
  for (std::uint64_t runs = 0;;) {
    for (; next_gift < task_.gifts_known && gifts[next_gift].runs == runs; ++next_gift)
      take_gift(gifts[next_gift].least);
    const SubtreeTask::Command command = task_.command.load(std::memory_order_acquire);
    if (command == SubtreeTask::Command::drop) return End::dropped;
    if (command == SubtreeTask::Command::give && next_gift == task_.gifts_known) give_part_of_task();
    if (ledger_.should_stop(runs)) return std::nullopt;
    if (runs >= task_.most_runs) return End::limit;
    process_.discard_output();
    if (!executor_.begin(runs)) return End::explored;
    ledger_.set_last_graph(0);
    const std::uint64_t buggy = ledger_.buggy();
    executor_.execute_begun(runs);
    process_.reset();
    if (ledger_.has_failed()) return std::nullopt;
    if (judge_.is_lost_after_race()) return End::limit;
    // The optimal search meets no graph twice, and its memory does not grow with their number.
    if (exploration() == nullptr && ledger_.last_graph() != 0)
      ledger_.add_graph(ledger_.last_graph(), runs, ledger_.buggy() != buggy);
    task_.runs.store(++runs, std::memory_order_release);
    if (channel_.request.run.stop_on_bug && ledger_.buggy() != buggy_before) return End::bug;
  }
}

/// What the search would explore last leaves it.
exploration::Pending::Gift TaskRun::take_gift(std::uint64_t least) {
  if (exploration() == nullptr) return {};
  auto* bytes = reinterpret_cast<std::uint8_t*>(channel_.at(channel::gift_offset));
  return exploration()->give(least, {bytes, channel::gift_capacity});
}

/// Resets the command if there was something to give: otherwise there may be more after the next run.
void TaskRun::give_part_of_task() {
  const exploration::Pending::Gift gift = take_gift(task_.least);
  if (gift.branches == 0) return;
  task_.gift_size = gift.size;
  task_.gift_share = gift.share;
  task_.gift_runs = task_.runs.load(std::memory_order_relaxed);
  SubtreeTask::Command expected = SubtreeTask::Command::give;
  task_.command.compare_exchange_strong(expected, SubtreeTask::Command::none);
  task_.gifts.store(task_.gifts.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  wake_driver();
}

}  // namespace heddle::engine
