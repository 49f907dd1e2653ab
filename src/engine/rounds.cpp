// The worker's part in a strategy that learns: it waits for the plan of each round, and counts what came of it.
#include <linux/futex.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>

#include <cstring>
#include <type_traits>

#include "engine/real.hpp"
#include "engine/worker.hpp"

namespace heddle::engine {

namespace {

/// Counters have one writer at a time, so no locked instruction is needed.
void add_one(std::atomic<std::uint64_t>& counter) {
  counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace

/// False: the campaign ended before the round of this execution began.
bool Worker::await_round(std::uint64_t number) {
  channel::Round& round = channel_.round;
  while (number >= round.end_execution) {
    if (should_stop(number)) return false;
    const std::uint32_t seen = round.number.load(std::memory_order_acquire);
    if (number < round.end_execution) break;
    channel_.progress.awaits_round.store(seen + 1, std::memory_order_release);
    real().syscall(SYS_kill, real().syscall(SYS_getppid), SIGCHLD);
    const timespec now_and_then{0, 100'000'000};  // to look at the clock
    real().syscall(SYS_futex, &round.number, FUTEX_WAIT, seen, &now_and_then, nullptr, 0);
    if (round.number.load(std::memory_order_acquire) != seen) use_plan();
  }
  return true;
}

void Worker::use_plan() {
  channel_.progress.awaits_round.store(0, std::memory_order_relaxed);
  if (portfolio_ == nullptr) return;
  strategies::PortfolioPlan plan;
  static_assert(sizeof plan <= sizeof channel_.round.plan);
  std::memcpy(&plan, channel_.round.plan, sizeof plan);
  portfolio_->use(plan);
}

/// Books an execution with the values that it drew.
void Worker::tally(std::uint64_t number, bool is_buggy) {
  if (portfolio_ == nullptr) return;
  static_assert(std::extent_v<decltype(channel_.progress.tallies)> == strategies::lot_count);
  const strategies::Assignment drawn = portfolio_->assignment_of(number);
  for (std::size_t lot = 0; lot < strategies::lot_count; ++lot) {
    if (drawn.values[lot] == strategies::Assignment::unused) continue;
    channel::Tally& tally = channel_.progress.tallies[lot][drawn.values[lot]];
    add_one(tally.executions);
    if (is_buggy) add_one(tally.buggy);
  }
  const std::uint32_t length = portfolio_->counted();
  if (length == 0) return;
  channel::LengthCounts& lengths = channel_.progress.lengths[drawn.of(strategies::Lot::member)];
  add_one(lengths.executions[strategies::length_class(length)]);
  if (length > lengths.longest.load(std::memory_order_relaxed))
    lengths.longest.store(length, std::memory_order_relaxed);
}

}  // namespace heddle::engine
