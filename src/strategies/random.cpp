// C11Tester's random exploration: uniform over the threads that can run, uniform over the writes that may be read.
// Relaxed and release stores are no scheduling points: a switch before one has the same effect as a switch after it,
// since other threads may ignore the store. Under sc they may not ignore it, so there every store is a scheduling
// point.
//
// Three departures from C11Tester reach more executions:
// - Stores may take older places in modification order. C11Tester leaves that order open and decides it late.
// - Weak compare-exchanges fail spuriously, and timed waits end early, at low odds.
// - `switch=P` lets a thread run for long, which uniform switching at every event hardly ever does.
// - `reads=old` lets threads keep what they know of a location for long. A wait that spins before it sleeps needs
//   many old reads in a row, each of which uniform reads take with probability 1/2 at most.
#include "strategies/random.hpp"

#include "strategies/chance.hpp"

namespace heddle::strategies {

namespace {

constexpr double switch_probabilities[] = {1, 0.5, 0.2, 0.05};
constexpr std::uint8_t switch_weights[] = {7, 4, 3, 2};
constexpr const char* read_habits[] = {"any", "old"};
constexpr double habit_values[] = {0, 1};
constexpr std::uint8_t habit_weights[] = {3, 1};
constexpr Parameter parameters[] = {
    {.name = "switch",
     .help = "the probability of choosing the next thread anew; otherwise the running thread continues",
     .type = Parameter::Type::real_number,
     .least = 0,
     .most = 1,
     .default_value = 1,
     .values = switch_probabilities,
     .first_weights = switch_weights},
    {.name = "reads",
     .help = "which write a read takes: any, or mostly the oldest one for half of the threads and locations",
     .type = Parameter::Type::word,
     .most = std::size(read_habits) - 1,
     .default_value = 0,
     .values = habit_values,
     .first_weights = habit_weights,
     .words = read_habits},
};

// A thread that keeps its view of a location takes any write once in this many reads. So a loop of 16 reads sees only
// the old value with a probability of 1/3, and a thread that polls gets on.
constexpr std::uint64_t fresh_read_odds = 16;

// A thread that stores for ever would never let another one run. So one store in this many is a scheduling point.
constexpr std::uint32_t stores_before_choice = 256;

bool is_weak_store(const PendingOperation& pending) {
  return pending.kind == graph::EventKind::store && !is_seq_cst(pending.order);
}

std::uint32_t index_of_current(const Choice& choice) {
  std::uint32_t index = 0;
  while (choice.options[index].thread != choice.current) ++index;
  return index;
}

}  // namespace

constinit const StrategyDescriptor random_strategy = {
    .name = "random",
    .help = "any thread, any write",
    .parameters = parameters,
    .first_weight = 6,
    .make = [](std::uint64_t seed, base::Arena& arena) -> Strategy* { return arena.create<RandomStrategy>(seed); },
};

bool RandomStrategy::begin_execution(std::uint64_t number) {
  random_.begin(seed_, number);
  weak_stores_ = 0;
  if (keeps_views_) habits_ = random_.next();
  return true;
}

bool RandomStrategy::with_probability(double probability) {
  return static_cast<double>(random_.next() >> 11) * 0x1.0p-53 < probability;
}

std::uint32_t RandomStrategy::choose_thread(const Choice& choice) {
  const auto count = static_cast<std::uint32_t>(choice.options.size());
  if (const PendingOperation* pending = choice.going_on) {
    if (pending->yields && !random_.one_in(ignored_yield_odds)) {
      const std::uint32_t current = index_of_current(choice);
      const auto other = static_cast<std::uint32_t>(random_.below(count - 1));
      return other < current ? other : other + 1;
    }
    if (!choice.stores_are_immediate && is_weak_store(*pending) && ++weak_stores_ % stores_before_choice != 0)
      return index_of_current(choice);
    if (switch_probability_ < 1 && !with_probability(switch_probability_)) return index_of_current(choice);
  }
  return static_cast<std::uint32_t>(random_.below(count));
}

/// Does the thread keep its view of the location in this execution?
bool RandomStrategy::keeps_view(graph::ThreadId thread, graph::LocationId location) const {
  std::uint64_t mixed = habits_ ^ (std::uint64_t{number(thread)} << 32 | number(location));
  return (base::splitmix64(mixed) & 1) != 0;
}

std::uint32_t RandomStrategy::choose(const Choice& choice) {
  if (choice.kind == ChoiceKind::thread) return choose_thread(choice);
  if (keeps_views_ && choice.kind == ChoiceKind::reads_from && keeps_view(choice.current, choice.location) &&
      !random_.one_in(fresh_read_odds))
    return 0;
  return choose_by_chance(random_, choice);
}

}  // namespace heddle::strategies
