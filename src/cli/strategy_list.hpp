// All strategies, for help pages and scripts.
#pragma once

#include <string>

#include "strategies/exhaustive.hpp"
#include "strategies/registry.hpp"

namespace heddle::cli {

/// Calls `see` with the descriptors of `auto`, of each registered strategy, and of the exhaustive search.
template <typename See>
void for_each_strategy(See see) {
  see(strategies::StrategyDescriptor{.name = "auto",
                                     .help = "all of the following but exhaustive; learns which one shows most",
                                     .parameters = {},
                                     .first_weight = 0,
                                     .make = nullptr});
  for (const strategies::StrategyDescriptor* strategy : strategies::registered_strategies()) see(*strategy);
  see(strategies::exhaustive_search);
}

/// The values of a parameter: "1..32", "graph|pair".
std::string values_text(const strategies::Parameter& parameter);
/// The value of a specification that gives none; empty: executions draw or learn it.
std::string default_text(const strategies::Parameter& parameter);

}  // namespace heddle::cli
