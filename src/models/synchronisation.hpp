// Happens-before, kept incrementally: what release and acquire operations, fences, release sequences and
// synchronisation objects pass from thread to thread. Shared by all models of the C/C++ family.
#pragma once

#include "graph/execution_graph.hpp"
#include "models/memory_model.hpp"

namespace heddle::models {

/// Sets the clock of `event` (just appended) and what it releases, and updates its thread's knowledge.
void synchronise(graph::ExecutionGraph& graph, graph::EventId event, ReleaseSequence rule);

/// The clock that `read` would have if it were added now, reading from `write`.
const base::VectorClock* clock_when_reading(graph::ExecutionGraph& graph, const graph::Event& read,
                                            const graph::Event& write);

}  // namespace heddle::models
