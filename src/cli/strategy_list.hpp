// All strategies, for help pages and scripts.
#pragma once

#include <span>

#include "strategies/exhaustive.hpp"
#include "strategies/registry.hpp"

namespace heddle::cli {

/// Calls `see` with the name, the help and the parameters of `auto`, of each registered strategy, and of the exhaustive
/// search.
template <typename See>
void for_each_strategy(See see) {
  see("auto", "all of the following but exhaustive; learns which one shows most",
      std::span<const strategies::Parameter>{});
  for (const strategies::StrategyDescriptor* strategy : strategies::registered_strategies())
    see(strategy->name, strategy->help, strategy->parameters);
  see(strategies::exhaustive_search.name, strategies::exhaustive_search.help, strategies::exhaustive_search.parameters);
}

}  // namespace heddle::cli
