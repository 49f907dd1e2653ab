#include "engine/waiting/spin_parking.hpp"

#include <algorithm>

#include "engine/memory/plain_memory.hpp"
#include "engine/scheduling/scheduler.hpp"

namespace heddle::engine {

namespace {
// A parked thread runs again after 64 steps of the other threads, at its next release after 128, and so on up to
// 16,384. Then it has half as many reads before its loop is recognised again. So a thread that really waits makes at
// most a third of the steps, and a loop that counts to n ends after 3 n steps.
constexpr std::uint64_t first_wait = 64;
constexpr std::uint32_t most_doublings = 8;
// If only parked threads are left, round r grants each of them 2^r reads, up to 2^16.
constexpr std::uint32_t longest_round = 16;
// Virtual time that passes in round r: 1 ms * 2^r. A loop that polls a clock for minutes ends this way.
constexpr std::uint64_t fruitless_round_time = 1000000;
// From this round on, the local states of the threads are compared.
constexpr std::uint32_t first_compared_round = 8;
// One recognised loop in 8 is left alone for a while. Many loops spin a bounded number of times and then block or back
// off, which would never be seen if other threads always went first.
constexpr std::uint64_t persistent_spin_odds = 8;
constexpr std::uint32_t persistent_spin_reads = 64;
// One loop in 6 may overlook news for a while, instead of reading them at once. This is enough for a wait that spins
// 16 times before it sleeps. More reads would make executions longer, from which strategies learn the number of events.
constexpr std::uint64_t outdated_spin_odds = 6;
constexpr std::uint32_t outdated_spin_reads = 20;
}  // namespace

void SpinParking::begin_execution() {
  Parking::begin_execution();
  steps_ = 0;
  next_release_ = 0;
  if (compares_local_states_) compare_local_states(false);
}

/// Called for reads of a thread whose loop was recognised; while local states are compared, for all operations.
void SpinParking::inspect(ProgramThread& self) {
  if (compares_local_states_ && fruitless_rounds_ < first_compared_round) compare_local_states(false);
  if (compares_local_states_ && reads(self.pending.kind)) self.loops.closed.compare_state(local_state_.hash(self));
  if (!self.loops.spin.is_spinning() || !reads(self.pending.kind)) return;
  const bool sees_news = has_news(self);
  // Real time decides when a child process makes news, and so would decide whether they are overlooked.
  if (sees_news && scheduler_.has_started_child()) return;
  if (!compares_local_states_ && dice_.engines().one_in(sees_news ? outdated_spin_odds : persistent_spin_odds))
    self.loops.spin.grant_immunity(sees_news ? outdated_spin_reads : persistent_spin_reads);
  else if (!sees_news)
    park(self);
}

bool SpinParking::has_news(const ProgramThread& thread) const {
  for (std::uint32_t i = 0; i < thread.loops.spin.body_size(); ++i) {
    const SpinDetector::Read& seen = thread.loops.spin.body(i);
    if (seen.is_volatile()) continue;
    if (is_buffered(graph_.event(seen.write))) continue;  // it reads its own store until that has reached memory
    const auto& order = graph_.location(seen.location).modification_order;
    for (std::size_t at = graph_.event(seen.write).mo_position + 1; at < order.size(); ++at)
      if (graph_.event(order[at]).written != seen.value) return true;
  }
  return PlainMemory::has_polled_memory_changed(thread);
}

void SpinParking::park(ProgramThread& thread) {
  const std::uint32_t doublings = std::min(thread.loops.spin.times_released(), most_doublings);
  thread.parked = true;
  thread.parked_until = steps_ + (first_wait << doublings);
  if (parked_++ == 0 || thread.parked_until < next_release_) next_release_ = thread.parked_until;
  scheduler_.update_enabled(thread);
}

void SpinParking::release(ProgramThread& thread) {
  thread.parked = false;
  --parked_;
  scheduler_.update_enabled(thread);
}

/// Releases the threads that were parked for long enough.
void SpinParking::count_step() {
  if (++steps_ < next_release_) return;
  next_release_ = ~std::uint64_t{0};
  for (ProgramThread* thread : threads_.threads()) {
    if (!thread->parked) continue;
    if (thread->parked_until > steps_) {
      next_release_ = std::min(next_release_, thread->parked_until);
      continue;
    }
    const std::uint32_t doublings = std::min(thread->loops.spin.times_released(), most_doublings);
    thread->loops.spin.count_release();
    thread->loops.spin.grant_immunity(static_cast<std::uint32_t>(first_wait / 2) << doublings);
    release(*thread);
  }
}

void SpinParking::wrote(graph::LocationId location) {
  for (ProgramThread* thread : threads_.threads()) {
    if (!thread->parked) continue;
    bool watches = false;
    for (std::uint32_t i = 0; i < thread->loops.spin.body_size(); ++i)
      watches |= thread->loops.spin.body(i).location == location;
    if (watches && has_news(*thread)) release(*thread);
  }
}

/// Strict time passes only while no thread can run. So parked threads run first, round by round as in resolve_stuck(),
/// until each returns to the same state, or until the longest round has ended. A computation that polls a flag, to be
/// told when to stop, ends this way before a sleep does.
bool SpinParking::release_before_time_passes() {
  if (parked_ == 0 || all_parked_threads(&ClosedLoop::is_likely)) return false;
  if (fruitless_rounds_ > longest_round) {
    fruitless_rounds_ = first_compared_round;
    return false;
  }
  release_all();
  return true;
}

/// The execution is livelocked if every thread that was left has returned to the same state since the last effect of
/// any thread.
bool SpinParking::resolve_stuck() {
  if (parked_ == 0 || all_parked_threads(&ClosedLoop::is_certain)) return false;
  scheduler_.time().advance_by(fruitless_round_time << std::min(fruitless_rounds_, longest_round));
  release_all();
  return true;
}

/// Releases every parked thread, for a number of reads that doubles from round to round.
void SpinParking::release_all() {
  const std::uint32_t round = std::min(fruitless_rounds_, longest_round);
  ++fruitless_rounds_;
  if (fruitless_rounds_ == first_compared_round) compare_local_states(true);
  for (ProgramThread* thread : threads_.threads()) {
    if (!thread->parked) continue;
    thread->loops.spin.grant_immunity(1U << round);
    release(*thread);
  }
}

bool SpinParking::all_parked_threads(bool (ClosedLoop::*wait)() const) {
  if (compares_local_states_ && fruitless_rounds_ < first_compared_round) compare_local_states(false);
  if (!compares_local_states_) return false;
  for (const ProgramThread* thread : threads_.threads())
    if (thread->parked && !(thread->loops.closed.*wait)()) return false;
  return true;
}

/// While states are compared, plain writes count as effects, and entry points wipe the stack that they used.
void SpinParking::compare_local_states(bool compare) {
  compares_local_states_ = compare;
  scheduler_.inspect_every_operation(compare);
  plain_.compare_local_state(compare);
  for (ProgramThread* thread : threads_.threads()) thread->loops.closed.reset();
}

}  // namespace heddle::engine
