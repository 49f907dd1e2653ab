// The choices that all sampling strategies make in the same random way. The strategies differ in which thread runs
// next; pctwm also differs in which write a read takes.
#pragma once

#include "base/random.hpp"
#include "strategies/strategy.hpp"

namespace heddle::strategies {

/// Every second yield or sleep is ignored: the thread continues at once. Bounded spinning, and a test that sleeps until
/// another thread should be done, lead to code that runs only if the hint is ignored.
inline constexpr std::uint64_t ignored_yield_odds = 2;

/// One store in 4 takes an older place in modification order. Outcomes like 2+2W need two such stores in one execution;
/// 1/16 of the executions is enough to show them soon.
inline constexpr std::uint64_t older_slot_odds = 4;

/// Decides a choice of any kind: threads, writes and values uniformly, modification order mostly for the newest place,
/// spurious failures and early time-outs at low odds.
std::uint32_t choose_by_chance(base::Random& random, const Choice& choice);

}  // namespace heddle::strategies
