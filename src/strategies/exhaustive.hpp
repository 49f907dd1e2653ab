// The parameters of the exhaustive search. The search itself is exploration/; it is not in the registry, because the
// worker makes it from its own graph.
#pragma once

#include <cstdint>

#include "strategies/descriptor.hpp"

namespace heddle::strategies {

inline constexpr std::uint64_t no_switch_bound = 999'999'999;

/// How far the exhaustive search goes.
struct SearchBounds {
  std::uint64_t events = 0;    ///< of one execution; 0: no bound
  std::uint64_t loop = 0;      ///< how often a thread may come to one place; 0: no bound
  std::uint64_t spurious = 1;  ///< how often a thread may wake without a reason, or give up a timed wait
  std::uint64_t values = 4;    ///< how many values an undetermined number may have
  std::uint64_t symmetry = 0;  ///< 1: explore one of the executions that differ only in which of equal threads did what
  std::uint64_t weak = 1;      ///< how often a thread's weak compare-exchange at one place may fail without a reason
  std::uint64_t arrivals = 0;  ///< 1: the order in which threads arrive at a barrier is a part of the execution
  std::uint64_t undone = 0;    ///< 1: iterations that undo or repeat what they did are explored as all others
  std::uint64_t readers = 0;   ///< 1: the order in which threads share a lock is a part of the execution
  std::uint64_t native = 0;    ///< 1: the program runs for every execution (transcript/transcript.hpp)
  std::uint64_t switches = no_switch_bound;  ///< the most preemptions of an execution (exploration/preemptions.hpp)
};

/// Its parameters are the fields of SearchBounds; it has no `make`.
extern const StrategyDescriptor exhaustive_search;

SearchBounds search_bounds(const ParameterValues& given);

}  // namespace heddle::strategies
