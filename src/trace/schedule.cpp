#include "trace/schedule.hpp"

namespace heddle::trace {

namespace {

using graph::Event;
using graph::EventId;

/// Whether a write that was executed before the event comes after `position` in the modification order of its location.
bool passes_over_earlier_write(const graph::ExecutionGraph& graph, const Event& event, EventId id,
                               std::uint32_t position) {
  const auto& order = graph.location(event.location).modification_order;
  for (std::size_t i = position + std::size_t{1}; i < order.size(); ++i)
    if (number(order[i]) < number(id)) return true;
  return false;
}

bool is_unusual(const graph::ExecutionGraph& graph, const Event& event, EventId id) {
  if (event.failed_spuriously) return true;
  if (event.reads_from != graph::no_event)
    return passes_over_earlier_write(graph, event, id, graph.event(event.reads_from).mo_position);
  return event.kind == graph::EventKind::store && event.order != graph::MemoryOrder::plain &&
         passes_over_earlier_write(graph, event, id, event.mo_position);
}

}  // namespace

void Schedule::copy_from(const Schedule& other, base::Arena& arena) {
  clear();
  for (const Stretch& stretch : other.stretches) stretches.push_back(arena, stretch);
  for (const Exception& exception : other.exceptions) exceptions.push_back(arena, exception);
}

Cost cost_of(const graph::ExecutionGraph& graph, std::uint64_t end) {
  Cost cost;
  graph::ThreadId previous = graph::no_thread;
  const auto events = graph.events();
  for (std::uint32_t i = 0; i < events.size() && i < end; ++i) {
    const Event& event = events[i];
    const bool is_import = event.order == graph::MemoryOrder::plain && event.kind == graph::EventKind::store;
    if (event.thread == graph::no_thread || is_import) continue;
    ++cost.events;
    cost.stale_reads += is_unusual(graph, event, EventId{i}) ? 1 : 0;
    if (previous != graph::no_thread && previous != event.thread) ++cost.switches;
    previous = event.thread;
  }
  return cost;
}

}  // namespace heddle::trace
