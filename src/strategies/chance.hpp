// The choices that the sampling strategies leave to chance alike; what sets them apart is who runs next, and
// for pctwm which write is read.
#pragma once

#include "base/random.hpp"
#include "strategies/strategy.hpp"

namespace heddle::strategies {

/// A thread that yields goes on at once every second time: a yield or a sleep is a hint, and both bounded spinning and
/// a test that sleeps "until the other has done it" end in code that is only reached if the hint is ignored.
inline constexpr std::uint64_t ignored_yield_odds = 2;

/// A store goes to an older slot one time in 4: 2+2W-like outcomes need it twice in one execution, and at 1/16
/// of all executions they still show up at once.
inline constexpr std::uint64_t older_slot_odds = 4;

/// Every kind but `thread`: writes and values uniformly, modification order mostly at its newest end, spurious
/// failures and early time-outs at low odds.
std::uint32_t choose_by_chance(base::Random& random, const Choice& choice);

}  // namespace heddle::strategies
