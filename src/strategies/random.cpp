// C11Tester's random exploration: uniform over the threads that can run, uniform over the writes that may be
// read. Relaxed and release stores do not pause: a switch before one differs in nothing from a switch after
// it, since other threads may ignore the store anyway. Under sc they may not, so there every store pauses.
//
// Three departures, each for reach: older modification-order slots (C11Tester leaves mo open and decides
// late; we decide at once, mostly for the newest), spurious failures and early time-outs at low odds, and
// `switch=P`, because uniform switching at every event hardly ever runs one thread for long.
#include "strategies/random.hpp"

#include "strategies/chance.hpp"

namespace heddle::strategies {

namespace {
bool is_unpaused_store(const PendingOperation& pending) {
  return pending.kind == graph::EventKind::store && !is_seq_cst(pending.order);
}
std::uint32_t index_of_current(const Choice& choice) {
  std::uint32_t index = 0;
  while (choice.options[index].thread != choice.current) ++index;
  return index;
}
}  // namespace

bool RandomStrategy::begin_execution(std::uint64_t number) {
  random_.begin(seed_, number);
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
    if (!choice.stores_are_immediate && is_unpaused_store(*pending)) return index_of_current(choice);
    if (switch_probability_ < 1 && !with_probability(switch_probability_)) return index_of_current(choice);
  }
  return static_cast<std::uint32_t>(random_.below(count));
}

std::uint32_t RandomStrategy::choose(const Choice& choice) {
  return choice.kind == ChoiceKind::thread ? choose_thread(choice) : choose_by_chance(random_, choice);
}

}  // namespace heddle::strategies
