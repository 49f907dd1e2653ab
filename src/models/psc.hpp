// RC11's seq_cst axiom: psc is acyclic. The graph keeps which seq_cst events psc leads to from which (SeqCstOrder),
// brought up to date when somebody asks.
//
// psc only grows. An event that is added last, newest in modification order or reading what is newest there, leads
// nowhere: if it is seq_cst it only has edges in. One that is placed further back (a stale read, say) leads from
// itself, if it is seq_cst, and from all seq_cst fences that happen before it, to what is ahead of it.
#pragma once

#include "graph/execution_graph.hpp"

namespace heddle::models {

/// To be told of every event once it is part of the graph, with its clock.
void notice_for_psc(graph::ExecutionGraph& graph, graph::EventId id);

/// Would `draft` close a cycle in psc, if it was added before the writes from place `next` of the modification order
/// on? It has its thread, location, values, reads_from and clock. Exact.
bool draft_closes_psc_cycle(graph::ExecutionGraph& graph, const graph::Event& draft, std::uint32_t next);

}  // namespace heddle::models
