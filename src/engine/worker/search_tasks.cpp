// The worker's part in an exhaustive search that several processes share: it explores one subtree after the other, and
// gives parts of them away. The protocol is channel/subtree_task.hpp.
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include "engine/isolation/real.hpp"
#include "engine/worker/worker.hpp"

namespace heddle::engine {

using channel::Failure;
using channel::SubtreeTask;
using End = channel::SubtreeTask::End;

namespace {

void tell_driver() { real().syscall(SYS_kill, real().syscall(SYS_getppid), SIGCHLD); }

}  // namespace

void Worker::run_tasks() {
  look_for_unseen_code();
  if (method_.exploration != nullptr && channel_.request.estimates_search != 0)
    estimate_search(channel_.request.first_execution);
  while (await_task()) explore_task();
}

/// Waits for the next task. False: the campaign ended.
bool Worker::await_task() {
  SubtreeTask& task = channel_.task;
  const std::uint32_t last = task.ended.load(std::memory_order_relaxed);
  bool told = false;
  for (;;) {
    if (task.number.load(std::memory_order_acquire) != last) break;
    if (should_stop(0)) return false;
    channel_.progress.awaits_task.store(1, std::memory_order_release);
    if (!told) tell_driver();
    told = true;
    const timespec interval{0, 100'000'000};  // after which should_stop() looks at the clock
    real().syscall(SYS_futex, &task.number, FUTEX_WAIT, last, &interval, nullptr, 0);
  }
  channel_.progress.awaits_task.store(0, std::memory_order_relaxed);
  return true;
}

void Worker::explore_task() {
  SubtreeTask& task = channel_.task;
  const std::uint32_t number = task.number.load(std::memory_order_relaxed);
  task.runs.store(0, std::memory_order_relaxed);
  graphs_of_task_ = 0;
  if (method_.exploration != nullptr) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(channel_.at(channel::task_offset));
    if (!method_.exploration->load({bytes, task.size}))
      return fail(Failure::fault, "the description of a part of the search cannot be read");
    channel_.progress.explored.store(0, std::memory_order_relaxed);
  }
  const std::optional<End> end = explore_until_end();
  if (method_.exploration != nullptr) task.explored = method_.exploration->exactly_explored();
  if (!end) finish();
  task.end = *end;
  task.ended.store(number, std::memory_order_release);
}

/// Nothing: the campaign ended.
std::optional<End> Worker::explore_until_end() {
  SubtreeTask& task = channel_.task;
  channel::Progress& progress = channel_.progress;
  const auto* gifts = reinterpret_cast<const channel::GiftRecord*>(channel_.at(channel::task_gifts_offset));
  const std::uint64_t buggy_before = progress.buggy.load(std::memory_order_relaxed);
  std::uint64_t next_gift = 0;
  for (std::uint64_t runs = 0;;) {
    for (; next_gift < task.gifts_known && gifts[next_gift].runs == runs; ++next_gift)
      repeat_gift(gifts[next_gift].least);
    const SubtreeTask::Command command = task.command.load(std::memory_order_acquire);
    if (command == SubtreeTask::Command::drop) return End::dropped;
    if (command == SubtreeTask::Command::give && next_gift == task.gifts_known) give_part_of_task();
    if (should_stop(runs)) return std::nullopt;
    if (runs >= task.most_runs) return End::limit;
    prepare_output();
    if (!begin_execution(runs)) return End::explored;
    progress.last_graph.store(0, std::memory_order_relaxed);
    const std::uint64_t buggy = progress.buggy.load(std::memory_order_relaxed);
    execute_begun(runs);
    reset();
    if (has_failed()) return std::nullopt;
    if (is_lost_after_race_) return End::limit;
    const bool is_buggy = progress.buggy.load(std::memory_order_relaxed) != buggy;
    // The exhaustive search over graphs meets none twice, and its memory does not grow with their number.
    const std::uint64_t graph = progress.last_graph.load(std::memory_order_relaxed);
    if (method_.exploration == nullptr && graph != 0) add_graph(graph, runs, is_buggy);
    task.runs.store(++runs, std::memory_order_release);
    if (channel_.request.run.stop_on_bug && progress.buggy.load(std::memory_order_relaxed) != buggy_before)
      return End::bug;
  }
}

/// Resets the command if there was something to give: otherwise there may be more after the next run.
void Worker::give_part_of_task() {
  if (method_.exploration == nullptr) return;
  SubtreeTask& task = channel_.task;
  auto* bytes = reinterpret_cast<std::uint8_t*>(channel_.at(channel::gift_offset));
  const exploration::Pending::Gift gift = method_.exploration->give(task.least, {bytes, channel::gift_capacity});
  if (gift.branches == 0) return;
  task.gift_size = gift.size;
  task.gift_share = gift.share;
  task.gift_runs = task.runs.load(std::memory_order_relaxed);
  SubtreeTask::Command expected = SubtreeTask::Command::give;
  task.command.compare_exchange_strong(expected, SubtreeTask::Command::none);
  task.gifts.store(task.gifts.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  tell_driver();
}

/// --print-graphs, --dot: whether the driver needs the decisions of the execution. The driver keeps the first ones of
/// all tasks.
bool Worker::is_graph_wanted(strategies::Outcome outcome) {
  const run::RunSpecification& run = channel_.request.run;
  if (channel_.request.has_tasks == 0 || outcome != strategies::Outcome::completed) return false;
  return graphs_of_task_++ < run.print_graphs || (!run.dot.empty() && run.dot_graphs == run::DotGraphs::all);
}

void Worker::repeat_gift(std::uint64_t least) {
  auto* bytes = reinterpret_cast<std::uint8_t*>(channel_.at(channel::gift_offset));
  if (method_.exploration != nullptr) method_.exploration->give(least, {bytes, channel::gift_capacity});
}

}  // namespace heddle::engine
