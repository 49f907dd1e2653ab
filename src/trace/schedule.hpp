// An execution in a form that survives changes: which thread ran until where, and the choices that were not the usual
// ones. A decision list (decision_list.hpp) names options by their index, so it fits one execution only. A schedule
// names threads and their events, so after one change the rest still says what it said.
#pragma once

#include <compare>
#include <cstdint>

#include "base/arena.hpp"
#include "graph/execution_graph.hpp"
#include "strategies/strategy.hpp"

namespace heddle::trace {

/// Lets a thread run until it has executed the event with this index, or lets stores of its buffer reach memory until
/// this many have.
struct Stretch {
  std::uint32_t actor;  ///< like strategies::Option::actor(), with the minimizer's number of the thread
  std::uint32_t until;
};

/// A choice that was not the usual one. The usual choices are the newest write, the newest place in modification order,
/// no spurious failure or wake-up, no early end of a wait, and the value 0.
struct Exception {
  strategies::ChoiceKind kind;
  std::uint32_t thread;    ///< that made the choice: the minimizer's number
  std::uint32_t index;     ///< of its newest event then
  std::uint32_t ordinal;   ///< among its choices of this kind since that event
  std::uint32_t distance;  ///< from the usual option
};

/// How much an execution asks of the reader. One without stale reads, which sequential consistency shows, is simpler
/// than any other. Then fewer switches come first, then fewer stale reads, then fewer events.
struct Cost {
  std::uint64_t switches = 0;     ///< context switches
  std::uint64_t stale_reads = 0;  ///< and other unusual choices: stores placed before others, spurious failures
  std::uint64_t events = 0;

  bool operator==(const Cost&) const = default;
  std::strong_ordering operator<=>(const Cost& other) const {
    const bool is_stale = stale_reads != 0, other_is_stale = other.stale_reads != 0;
    if (is_stale != other_is_stale) return is_stale <=> other_is_stale;
    if (switches != other.switches) return switches <=> other.switches;
    if (stale_reads != other.stale_reads) return stale_reads <=> other.stale_reads;
    return events <=> other.events;
  }
};

struct Schedule {
  base::ArenaVector<Stretch> stretches;
  base::ArenaVector<Exception> exceptions;

  void clear() {
    stretches.clear();
    exceptions.clear();
  }
  void copy_from(const Schedule& other, base::Arena& arena);
};

/// The switches, stale reads and events among the first `end` events of an execution. The graph has all its events.
Cost cost_of(const graph::ExecutionGraph& graph, std::uint64_t end);

}  // namespace heddle::trace
