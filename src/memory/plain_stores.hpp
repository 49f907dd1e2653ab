// Plain stores in the graph. A plain store is no event until an atomic access finds its value in memory.
#pragma once

#include <cstdint>

#include "graph/execution_graph.hpp"
#include "models/memory_model.hpp"

namespace heddle::memory {

/// Who made a plain store. Without a thread, uninstrumented code did (a memset that the compiler expanded, say): the
/// store then counts as known to every thread, which may lose a behaviour but never invents one.
struct PlainStore {
  graph::ThreadId thread = graph::no_thread;
  std::uint32_t index = 0;
  std::uint64_t site = 0;
  std::uint32_t stack = 0;
};

/// Appends the store of `value`, which was found in memory, as the newest write to the location.
inline graph::EventId import_plain_store(graph::ExecutionGraph& graph, models::ModelState& state,
                                         graph::LocationId location, graph::Value value, const PlainStore& store) {
  graph::Event& event = graph.begin_event();
  event.kind = graph::EventKind::store;
  event.order = graph::MemoryOrder::plain;
  event.size = graph.location(location).size;
  event.location = location;
  event.written = value;
  event.thread = store.thread;
  event.index = store.index;
  event.site = store.site;
  event.stack = store.stack;
  const graph::EventId id = graph.append(event);
  state.commit(id);
  return id;
}

}  // namespace heddle::memory
