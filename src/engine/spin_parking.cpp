#include "engine/spin_parking.hpp"

#include "engine/scheduler.hpp"

namespace heddle::engine {

namespace {
// Rounds in which only spinning threads were left, and nothing came of it, until that counts as a livelock.
// Round r grants each of them 2^r reads before its loop is recognised again, so a loop that merely counts has
// some 250,000 iterations to come to its end.
constexpr std::uint32_t fruitless_rounds_limit = 17;
// Virtual time that passes in round r: 1 ms * 2^r. A loop that polls a clock for minutes ends this way.
constexpr std::uint64_t fruitless_round_time = 1000000;
// One recognised loop in 8 is left alone for a while. Many loops spin a bounded number of times and then block or back
// off, which would never be seen if other threads always went first.
constexpr std::uint64_t persistent_spin_odds = 8;
constexpr std::uint32_t persistent_spin_reads = 64;
}  // namespace

void SpinParking::inspect(ProgramThread& self) {
  if (has_news(self)) return;
  if (dice_.engines().one_in(persistent_spin_odds)) {
    self.spin.grant_immunity(persistent_spin_reads);
    return;
  }
  self.parked = true;
  ++parked_;
  scheduler_.update_enabled(self);
}

bool SpinParking::has_news(const ProgramThread& thread) const {
  for (std::uint32_t i = 0; i < thread.spin.body_size(); ++i) {
    const SpinDetector::Read& seen = thread.spin.body(i);
    if (is_buffered(graph_.event(seen.write))) continue;  // it reads its own store until that has reached memory
    const auto& order = graph_.location(seen.location).modification_order;
    for (std::size_t at = graph_.event(seen.write).mo_position + 1; at < order.size(); ++at)
      if (graph_.event(order[at]).written != seen.value) return true;
  }
  return false;
}

void SpinParking::wrote(graph::LocationId location) {
  for (ProgramThread* thread : threads_.threads()) {
    if (!thread->parked) continue;
    bool watches = false;
    for (std::uint32_t i = 0; i < thread->spin.body_size(); ++i) watches |= thread->spin.body(i).location == location;
    if (!watches || !has_news(*thread)) continue;
    thread->parked = false;
    --parked_;
    scheduler_.update_enabled(*thread);
  }
}

/// Releases every parked thread, for a number of reads that doubles from round to round.
bool SpinParking::resolve_stuck() {
  if (parked_ == 0 || fruitless_rounds_ >= fruitless_rounds_limit) return false;
  scheduler_.advance_time_by(fruitless_round_time << fruitless_rounds_);
  const std::uint32_t immunity = 1U << fruitless_rounds_;
  ++fruitless_rounds_;
  for (ProgramThread* thread : threads_.threads()) {
    if (!thread->parked) continue;
    thread->parked = false;
    thread->spin.grant_immunity(immunity);
    scheduler_.update_enabled(*thread);
  }
  parked_ = 0;
  return true;
}

}  // namespace heddle::engine
