// The sum of one hash per event, so that the order of execution does not matter; each event's hash
// takes in everything that identifies it and its edges by canonical names.
#include <cstddef>
#include <cstring>

#include "base/fast_paths.hpp"
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
  // The names of threads and locations are hashes; what the name is put into is hashed again.
  return thread + (location << 21 | location >> 43) + event.index * 0x9e3779b97f4a7c15ULL;
}

/// In one word: they lie side by side.
std::uint64_t kind_order_size(const Event& event) {
  static_assert(offsetof(Event, kind) == 0 && offsetof(Event, order) == 1 && offsetof(Event, size) == 2);
  std::uint32_t word;
  std::memcpy(&word, &event, sizeof word);
  return word & 0xffffffU;
}

/// `name_of` gives the names of events that are not later.
template <typename NameOf>
std::uint64_t event_hash_with(const ExecutionGraph& graph, EventId id, NameOf name_of) {
  const Event& event = graph.event(id);
  std::uint64_t predecessor = 0;
  if (writes(event.kind) && event.mo_position > 0) {
    const EventId before = graph.location(event.location).modification_order[event.mo_position - 1];
    predecessor = number(before) < number(id) ? name_of(before) : event_name(graph, before);
  }
  std::uint64_t synchronised = 0;
  for (EventId releasing : event.synchronised) synchronised += name_of(releasing);
  // A value that nobody determined is all that such an event is about.
  if (event.kind == EventKind::fence && event.order == MemoryOrder::plain)
    predecessor = static_cast<std::uint64_t>(event.read) + 1;
  const std::uint64_t source = event.reads_from == no_event ? 0 : name_of(event.reads_from);
  // Names are as good as random numbers, but for the index: with an odd factor each, sums of them are, too.
  const std::uint64_t what = name_of(id) + kind_order_size(event) * 0xd1342543de82ef95ULL;
  const std::uint64_t edges = source + predecessor * 0xff51afd7ed558ccdULL + synchronised * 0xc4ceb9fe1a85ec53ULL;
  return base::multiply_and_fold(what ^ 0x243f6a8885a308d3ULL, edges ^ 0x13198a2e03707345ULL);
}

// Most executions are short: their events' names are worked out once each.
constexpr std::uint32_t most_names = 256;

std::uint64_t hash_of_short(const ExecutionGraph& graph) {
  std::uint64_t names[most_names];
  const auto count = static_cast<std::uint32_t>(graph.events().size());
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    names[i] = event_name(graph, EventId{i});
    if (graph.event(EventId{i}).kind != EventKind::init)
      sum += event_hash_with(graph, EventId{i}, [&](EventId id) { return names[number(id)]; });
  }
  return sum;
}

}  // namespace

std::uint64_t event_hash(const ExecutionGraph& graph, EventId id) {
  return event_hash_with(graph, id, [&](EventId other) { return event_name(graph, other); });
}

std::uint64_t canonical_hash(const ExecutionGraph& graph) {
  if (base::fast_paths && graph.events().size() <= most_names && !graph.has_forgotten()) return hash_of_short(graph);
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
