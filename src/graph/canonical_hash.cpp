// The sum of one hash per event, so that the order of execution does not matter; each event's hash
// takes in everything that identifies it and its edges by canonical names.
#include "base/hash.hpp"
#include "graph/execution_graph.hpp"

namespace heddle::graph {

namespace {

std::uint64_t event_name(const ExecutionGraph& graph, EventId id) {
  if (id == no_event) return 0;
  const Event& event = graph.event(id);
  // Plain stores share their odd index with others of the same thread: the location tells them apart.
  const std::uint64_t thread = event.thread == no_thread ? 1 : graph.thread(event.thread).name;
  const std::uint64_t location = event.location == no_location ? 0 : graph.location(event.location).name;
  return base::hash_words(thread, event.index, location);
}

}  // namespace

std::uint64_t event_hash(const ExecutionGraph& graph, EventId id) {
  const Event& event = graph.event(id);
  std::uint64_t predecessor = 0;
  if (writes(event.kind) && event.mo_position > 0)
    predecessor = event_name(graph, graph.location(event.location).modification_order[event.mo_position - 1]);
  std::uint64_t synchronised = 0;
  for (EventId releasing : event.synchronised) synchronised += event_name(graph, releasing);
  // A value that nobody determined is all that such an event is about.
  if (event.kind == EventKind::fence && event.order == MemoryOrder::plain)
    predecessor = static_cast<std::uint64_t>(event.read) + 1;
  return base::hash_words(
      event_name(graph, id),
      (static_cast<std::uint64_t>(event.kind) << 16) | (static_cast<std::uint64_t>(event.order) << 8) | event.size,
      event_name(graph, event.reads_from), predecessor, synchronised);
}

std::uint64_t canonical_hash(const ExecutionGraph& graph) {
  std::uint64_t sum = graph.added_up_hash();
  for (std::uint32_t i = 0; i < graph.events().size(); ++i) {
    const EventId id{i};
    // Only atomic accesses create locations, when they first meet them; an init event says nothing more.
    const Event& event = graph.event(id);
    if (event.kind != EventKind::init && !event.is_added_up) sum += event_hash(graph, id);
  }
  return sum;
}

std::uint64_t values_hash(const ExecutionGraph& graph) {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < graph.events().size(); ++i) {
    const Event& event = graph.event(EventId{i});
    if (!accesses_memory(event.kind)) continue;
    sum += base::hash_words(event_name(graph, EventId{i}), event.read, event.read >> 64, event.written,
                            event.written >> 64);
  }
  return sum;
}

}  // namespace heddle::graph
