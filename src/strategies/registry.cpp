#include "strategies/registry.hpp"

#include "strategies/directed.hpp"
#include "strategies/fuzz.hpp"
#include "strategies/pct.hpp"
#include "strategies/pctwm.hpp"
#include "strategies/pos.hpp"
#include "strategies/random.hpp"
#include "strategies/surw.hpp"

namespace heddle::strategies {

namespace {

// The only list of the strategies: one line each.
// clang-format off
constexpr const StrategyDescriptor* registered[] = {
    &random_strategy,
    &pct_strategy,
    &pctwm_strategy,
    &pos_strategy,
    &surw_strategy,
    &fuzz_strategy,
    &directed_strategy,
};
// clang-format on
static_assert(std::size(registered) <= most_strategies && std::size(registered) <= most_values);

}  // namespace

std::span<const StrategyDescriptor* const> registered_strategies() { return registered; }

std::size_t automatic_strategies() {
  std::size_t count = 0;
  while (count < std::size(registered) && registered[count]->first_weight != 0) ++count;
  return count;
}

std::optional<std::size_t> find_strategy(std::string_view name) {
  for (std::size_t i = 0; i < std::size(registered); ++i)
    if (registered[i]->name == name) return i;
  return std::nullopt;
}

}  // namespace heddle::strategies
