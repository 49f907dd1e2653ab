#include "strategies/priorities.hpp"

#include <algorithm>

#include "strategies/chance.hpp"

namespace heddle::strategies {

using graph::EventKind;
using graph::MemoryOrder;

namespace {
// A thread that runs this many times more operations than a whole execution has is assumed to wait for a thread with a
// lower priority. The minimum is for lengths that are too small: a thousand choices cost less than a millisecond, and
// the engine recognises most spin loops long before.
constexpr std::uint64_t patience_factor = 16;
constexpr std::uint64_t least_patience = 1024;
// The length is learnt, and waiting makes executions longer. Without a limit the patience would grow with it, up to
// --max-events. Each escape also halves the patience for the rest of the execution: a thread that once waited for a
// thread with a lower priority mostly does so again.
constexpr std::uint64_t most_patience = 32768;
// Set in random priorities, so that they are above every slot.
constexpr std::int64_t random_priority_bit = std::int64_t{1} << 62;

// Lengths for executions of unknown length: powers of two, from 4 to 4096.
constexpr std::uint32_t least_length_bits = 2;
constexpr std::uint32_t length_scales = 11;

// The smaller of two draws, because short programs are more frequent, and in long ones a change point rarely falls on a
// given event anyway.
std::uint32_t draw_length(base::Random& random) {
  const std::uint64_t one = random.below(length_scales);
  const std::uint64_t other = random.below(length_scales);
  return std::uint32_t{1} << (least_length_bits + static_cast<std::uint32_t>(one < other ? one : other));
}
}  // namespace

PrioritySchedule::PrioritySchedule(base::Arena& arena, Counts counts) : arena_(arena) {
  for (const bool immediate : {false, true})
    for (std::size_t kind = 0; kind < kinds; ++kind)
      for (std::size_t order = 0; order < orders; ++order)
        if (counts(static_cast<EventKind>(kind), static_cast<MemoryOrder>(order), immediate))
          counts_[kind][immediate] = static_cast<std::uint8_t>(counts_[kind][immediate] | 1U << order);
}

void PrioritySchedule::begin(std::uint32_t points, std::optional<std::uint32_t> length) {
  HEDDLE_CHECK(points <= max_points && (!length || points <= *length), "more change points than places for them");
  if (++execution_ == 0) {  // the counter wrapped around: entries of old executions would seem to be new
    threads_.clear();
    execution_ = 1;
  }
  number_ = 0;
  lowest_ = 0;
  stores_are_immediate_ = false;
  runner_ = no_actor;
  run_ = 0;
  patience_ = patience_factor * length.value_or(0);
  patience_ = std::clamp(patience_, least_patience, most_patience);
  draw_points(points, length);
  find_next_point();
}

void PrioritySchedule::draw_points(std::uint32_t points, std::optional<std::uint32_t> length) {
  point_count_ = 0;
  while (point_count_ < points) {
    const auto drawn = 1 + static_cast<std::uint32_t>(random_.below(length ? *length : draw_length(random_)));
    bool is_new = true;
    for (const std::uint32_t point : this->points()) is_new = is_new && point != drawn;
    if (is_new) points_[point_count_++] = drawn;
  }
}

void PrioritySchedule::find_next_point() {
  next_point_ = 0;
  for (const std::uint32_t point : points())
    if (point > number_ && (next_point_ == 0 || point < next_point_)) next_point_ = point;
}

PrioritySchedule::ActorPriority& PrioritySchedule::meet(std::uint32_t actor) {
  if (actor >= threads_.size()) threads_.resize(arena_, actor + std::size_t{1});
  ActorPriority& known = threads_[actor];
  known.execution = execution_;
  known.pending = {};
  known.priority = random_priority_bit | static_cast<std::int64_t>(random_.next() >> 2);
  return known;
}

std::uint32_t PrioritySchedule::highest(const Choice& choice) {
  // Without branches, since the processor could not predict them.
  std::uint32_t best = 0;
  std::int64_t best_priority = state(choice.options[0].actor()).priority;
  for (std::uint32_t i = 1; i < choice.options.size(); ++i) {
    const std::int64_t priority = state(choice.options[i].actor()).priority;
    const bool is_higher = priority > best_priority;
    best = is_higher ? i : best;
    best_priority = is_higher ? priority : best_priority;
  }
  return best;
}

void PrioritySchedule::fall(ActorPriority& thread) {
  for (std::uint32_t i = 0; i < point_count_; ++i)
    if (points_[i] == number_) thread.priority = point_count_ - 1 - i;
  thread.pending.is_delayed = true;
  find_next_point();
}

bool PrioritySchedule::falls(const Option& option) {
  ActorPriority& thread = state(option.actor());
  const PendingOperation& pending = *option.pending;
  if (!pending.yields) return falls_at_change_point(thread, pending.kind, pending.order);
  if (thread.pending.has_yielded) return false;
  thread.pending.has_yielded = true;
  if (random_.one_in(ignored_yield_odds)) return false;
  thread.priority = --lowest_;
  return true;
}

std::uint32_t PrioritySchedule::choose_thread(const Choice& choice) {
  stores_are_immediate_ = choice.stores_are_immediate;
  // The thread that ran last has another pending operation now, even if its last operation made no event.
  if (choice.current != graph::no_thread) state(Option::actor_of(choice.current)).pending = {};
  // Each iteration uses up a change point or a yield, so there are few.
  std::uint32_t chosen = highest(choice);
  while (falls(choice.options[chosen])) chosen = highest(choice);
  chosen = escape_livelock(choice, chosen);
  // No event tells of an internal step, so the next one of this buffer is another operation.
  if (choice.options[chosen].is_internal_step()) state(choice.options[chosen].actor()).pending = {};
  return chosen;
}

// The papers run a random other thread for one step. A thread that waits for several steps of another thread would make
// no progress that way, so here the two exchange priorities.
std::uint32_t PrioritySchedule::escape_livelock(const Choice& choice, std::uint32_t chosen) {
  // A buffer that commits the stores of a thread does not interrupt that thread.
  if (choice.options[chosen].is_internal_step()) return chosen;
  const std::uint32_t actor = choice.options[chosen].actor();
  if (actor != runner_) {
    runner_ = actor;
    run_ = 0;
  }
  if (++run_ <= patience_) return chosen;
  const auto other = static_cast<std::uint32_t>(random_.below(choice.options.size() - 1));
  const std::uint32_t instead = other < chosen ? other : other + 1;
  ActorPriority& runs = state(choice.options[instead].actor());
  ActorPriority& waits = state(actor);
  const std::int64_t priority = runs.priority;
  runs.priority = waits.priority;
  waits.priority = priority;
  runner_ = choice.options[instead].actor();
  run_ = 0;
  patience_ = std::max(patience_ / 2, least_patience);
  ++escapes_;
  return instead;
}

}  // namespace heddle::strategies
