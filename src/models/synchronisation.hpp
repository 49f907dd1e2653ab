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

/// The C++11 rule rs = [W];(sb & loc)?;[W_atomic];(rf;rmw)*: visits the earlier release writes of the same thread to
/// the same location, whose sequences `write` continues.
template <typename Visit>
void for_each_continued_release(const graph::ExecutionGraph& graph, const graph::Event& write, Visit visit) {
  for (const graph::ThreadAccesses& by : graph.location(write.location).accessed_by) {
    if (by.thread != write.thread) continue;
    for (const graph::Access& access : by.accesses) {
      const graph::Event& earlier = graph.event(access.event);
      if (access.index < write.index && writes(earlier.kind) && is_release(earlier.order)) visit(earlier);
    }
  }
}

}  // namespace heddle::models
