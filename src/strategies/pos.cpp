// Partial order sampling (Yuan, Yang, Gu: "Partial order aware concurrency sampling", CAV 2018). Every pending
// operation has a random priority. The operation with the highest priority is executed; then the operations that race
// with it draw a new priority. Operations that do not race keep theirs. So only the order of racing operations is up to
// chance, and each such order is about as likely as any other.
//
// The paper assumes sequential consistency. Here a read takes any write that the model allows, uniformly.
#include "strategies/pos.hpp"

#include "strategies/chance.hpp"

namespace heddle::strategies {

using graph::EventKind;

namespace {

/// Does the operation race with every other operation on its location? Locking and unlocking do: they change the lock.
bool changes(EventKind kind) { return writes(kind) || kind == EventKind::lock || kind == EventKind::unlock; }

// Set in all priorities but those of threads that yield, which are therefore the lowest.
constexpr std::uint64_t no_yield_bit = std::uint64_t{1} << 63;
// An operation that was passed over this often draws a new priority, as one that does not yield. Otherwise a sleep
// would not end as long as another thread runs without yielding.
constexpr std::uint32_t patience = 512;

}  // namespace

constinit const StrategyDescriptor pos_strategy = {
    .name = "pos",
    .help = "pending operations by priority, racing ones drawn anew; any write",
    .parameters = {},
    .first_weight = 3,
    .make = [](std::uint64_t seed, base::Arena& arena) -> Strategy* { return arena.create<PosStrategy>(seed, arena); },
};

bool PosStrategy::begin_execution(std::uint64_t number) {
  random_.begin(seed_, number);
  pending_.clear();
  return true;
}

/// The state of a thread, or of its store buffer, by Option::actor().
PosStrategy::PendingState& PosStrategy::state(std::uint32_t actor) {
  if (actor >= pending_.size()) pending_.resize(arena_, actor + std::size_t{1});
  return pending_[actor];
}

std::uint32_t PosStrategy::choose(const Choice& choice) {
  return choice.kind == ChoiceKind::thread ? choose_thread(choice) : choose_by_chance(random_, choice);
}

std::uint32_t PosStrategy::choose_thread(const Choice& choice) {
  // The thread that ran last has another pending operation now, even if its last operation made no event.
  if (choice.current != graph::no_thread) state(Option::actor_of(choice.current)).has_priority = false;
  std::uint32_t best = 0;
  std::uint64_t best_priority = 0;
  for (std::uint32_t i = 0; i < choice.options.size(); ++i) {
    PendingState& known = state(choice.options[i].actor());
    if (!known.has_priority) {
      const PendingOperation& pending = *choice.options[i].pending;
      const bool gives_way = pending.yields && !random_.one_in(ignored_yield_odds);
      const std::uint64_t drawn = random_.next() >> 1;
      known = {true, changes(pending.kind), pending.location, 0, gives_way ? drawn : drawn | no_yield_bit};
    } else if (++known.times_passed_over % patience == 0) {
      known.priority = random_.next() | no_yield_bit;
    }
    if (known.priority >= best_priority) {
      best = i;
      best_priority = known.priority;
    }
  }
  // No event tells of an internal step: a buffered store reaches memory.
  if (const Option& chosen = choice.options[best]; chosen.is_internal_step()) {
    state(chosen.actor()).has_priority = false;
    redraw_racing(chosen.pending->location, true);
  }
  return best;
}

void PosStrategy::executed(const graph::Event& event) {
  if (event.thread == graph::no_thread) return;
  state(Option::actor_of(event.thread)).has_priority = false;
  if (event.location != graph::no_location) redraw_racing(event.location, changes(event.kind));
}

/// An operation on the location was executed: the pending operations that raced with it get new priorities.
void PosStrategy::redraw_racing(graph::LocationId location, bool writes) {
  for (PendingState& other : pending_)
    if (other.location == location && (other.writes || writes)) other.has_priority = false;
}

}  // namespace heddle::strategies
