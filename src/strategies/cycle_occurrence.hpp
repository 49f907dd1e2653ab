// Whether an execution had a predicted cycle: judged on its graph, not on what the strategy tried.
//
// Program order and the conflict order of each location (from the write at one position of modification order, or a
// read of it, to a write at a later position; from a write to a read of the same or a later position) are part of every
// order that explains an execution as an interleaving of its threads. A cycle in them shows that there is no such
// order.
#pragma once

#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "graph/execution_graph.hpp"
#include "strategies/cycle.hpp"

namespace heddle::strategies {

struct LabelledEvent {
  graph::EventId event;
  std::uint32_t label;
};

/// Whether events with the labels of the cycle form it. Then `found`, which has room for two events of each pair, gets
/// them. All stores have their position in modification order. `scratch` is rewound.
bool find_occurrence(const graph::ExecutionGraph& graph, const Cycle& cycle, std::span<const LabelledEvent> accesses,
                     base::Arena& scratch, std::span<graph::EventId> found);

}  // namespace heddle::strategies
