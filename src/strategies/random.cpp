// C11Tester's random exploration: uniform over the threads that can run, uniform over the writes that may be read.
// Relaxed and release stores are no scheduling points: a switch before one has the same effect as a switch after it,
// since other threads may ignore the store. Under sc they may not ignore it, so there every store is a scheduling
// point.
//
// Three departures from C11Tester reach more executions:
// - Stores may take older places in modification order. C11Tester leaves that order open and decides it late.
// - Weak compare-exchanges fail spuriously, and timed waits end early, at low odds.
// - `switch=P` lets a thread run for long, which uniform switching at every event hardly ever does.
#include "strategies/random.hpp"

#include "strategies/chance.hpp"

namespace heddle::strategies {

namespace {

constexpr double switch_probabilities[] = {1, 0.5, 0.2, 0.05};
constexpr std::uint8_t switch_weights[] = {7, 4, 3, 2};
constexpr Parameter parameters[] = {
    {.name = "switch",
     .help = "the probability of choosing the next thread anew; otherwise the running thread continues",
     .type = Parameter::Type::real_number,
     .least = 0,
     .most = 1,
     .default_value = 1,
     .values = switch_probabilities,
     .first_weights = switch_weights},
};

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

std::uint32_t RandomStrategy::choose(const Choice& choice) {
  return choice.kind == ChoiceKind::thread ? choose_thread(choice) : choose_by_chance(random_, choice);
}

}  // namespace heddle::strategies
