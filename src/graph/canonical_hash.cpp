// The hashes of a graph, computed from its events alone, without the hash that the graph maintains.
#include "graph/event_hash.hpp"
#include "graph/execution_graph.hpp"

namespace heddle::graph {

namespace {

std::uint64_t name_of(const ExecutionGraph& graph, EventId id) {
  if (id == no_event) return 0;
  const Event& event = graph.event(id);
  return event_name(event.thread == no_thread ? 1 : graph.thread(event.thread).name,
                    event.location == no_location ? 0 : graph.location(event.location).name, event.index);
}

std::uint64_t hash_of(const ExecutionGraph& graph, EventId id) {
  const Event& event = graph.event(id);
  EdgeNames edges;
  edges.source = name_of(graph, event.reads_from);
  if (writes(event.kind) && event.mo_position > 0)
    edges.predecessor = name_of(graph, graph.location(event.location).modification_order[event.mo_position - 1]);
  for (const EventId releasing : event.synchronised) edges.synchronised += name_of(graph, releasing);
  return event_hash(event, name_of(graph, id), edges);
}

}  // namespace

std::uint64_t canonical_hash(const ExecutionGraph& graph) {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < graph.events().size(); ++i)
    // The first atomic access to a location creates it, so its init event adds no information.
    if (graph.event(EventId{i}).kind != EventKind::init) sum += hash_of(graph, EventId{i});
  return sum;
}

}  // namespace heddle::graph
