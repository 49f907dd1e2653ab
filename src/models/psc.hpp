// RC11's seq_cst axiom: psc is acyclic.
#pragma once

#include "graph/execution_graph.hpp"

namespace heddle::models {

/// Does the newest event of the graph close a cycle in psc? Its clock must be set, and the graph without it
/// must satisfy the axiom. Exact; costs a search over the seq_cst events, so callers ask only where an edge
/// out of the newest event can reach a seq_cst event at all.
bool newest_event_closes_psc_cycle(const graph::ExecutionGraph& graph);

/// The same for an access that is not seq_cst, and that need not be put into the graph for it: `draft` has its thread,
/// clock and location, and is mo- or rb-before the writes from place `next` of the modification order on.
bool draft_closes_psc_cycle(const graph::ExecutionGraph& graph, const graph::Event& draft, std::uint32_t next);

}  // namespace heddle::models
