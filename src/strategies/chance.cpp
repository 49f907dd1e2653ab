#include "strategies/chance.hpp"

namespace heddle::strategies {

namespace {
// A spurious failure costs another iteration of the program's loop and rarely shows anything new.
constexpr std::uint64_t spurious_odds = 16;
constexpr std::uint64_t timeout_odds = 4;
}  // namespace

std::uint32_t choose_by_chance(base::Random& random, const Choice& choice) {
  const auto count = static_cast<std::uint32_t>(choice.options.size());
  switch (choice.kind) {
    case ChoiceKind::thread:
    case ChoiceKind::reads_from:
    case ChoiceKind::value: return static_cast<std::uint32_t>(random.below(count));
    case ChoiceKind::mo_slot:
      return random.one_in(older_slot_odds) ? static_cast<std::uint32_t>(random.below(count - 1)) : count - 1;
    case ChoiceKind::spurious: return random.one_in(spurious_odds) ? 1 : 0;
    case ChoiceKind::timeout: return random.one_in(timeout_odds) ? 1 : 0;
  }
  return 0;
}

}  // namespace heddle::strategies
