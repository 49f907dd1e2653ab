// The sampling strategies that heddle has. Everything that needs all of them iterates over this list.
#pragma once

#include <span>
#include <string_view>

#include "strategies/descriptor.hpp"

namespace heddle::strategies {

/// The registry has at most this many strategies: tables that travel through the channel are sized by it.
inline constexpr std::size_t most_strategies = 12;

/// In the order in which messages, help texts and reports list them.
std::span<const StrategyDescriptor* const> registered_strategies();
/// How many strategies, from the first on, `auto` uses: those with a weight. Strategies without one are last.
std::size_t automatic_strategies();
/// The position of the strategy with this name in registered_strategies(), if there is one.
std::optional<std::size_t> find_strategy(std::string_view name);

}  // namespace heddle::strategies
