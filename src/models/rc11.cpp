// RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer: Repairing sequential consistency in C/C++11, PLDI 2017), with
// the release sequences of C++20. Incrementally:
//   coherence   a read may not go back behind what its thread knows of the location, and a write goes after
//               that; nothing in the graph happens after the newest event, so there is no upper bound;
//   atomicity   an rmw sits directly behind the write it reads, and no write has two rmw readers;
//   SC          psc stays acyclic;
//   no thin air events are added in an order that contains sb and rf, so sb | rf is acyclic by construction.
#include "models/rc11.hpp"

#include "models/psc.hpp"
#include "models/synchronisation.hpp"

namespace heddle::models {

using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::ExecutionGraph;
using graph::Location;

namespace {

/// An event added last gets psc edges only towards seq_cst events that it is mo- or rb-before, directly or
/// through hb to a fence. Behind the returned place in modification order there is no write that leads to
/// one: not a seq_cst write, and none that happens before a seq_cst fence, nor read by one that does.
std::uint32_t reaches_seq_cst(const ExecutionGraph& graph, const Location& location) {
  std::uint32_t position = graph.newest_known(location, *graph.seq_cst_knowledge.happened);
  if (location.newest_seq_cst_write != graph::no_event) {
    const std::uint32_t write = graph.event(location.newest_seq_cst_write).mo_position;
    if (write > position) position = write;
  }
  return position;
}

}  // namespace

bool Rc11::psc_allows(ExecutionGraph& graph, const Event& draft, std::uint32_t mo_position) const {
  if (graph.has_forgotten()) return false;  // the search goes through events of any age
  if (exact_ != nullptr && graph.seq_cst_events().size() > exact_psc_limit) return false;
  const EventId id = graph.append(draft, mo_position);
  Event& event = graph.event(id);
  event.clock = reads(event.kind) ? clock_when_reading(graph, event, graph.event(event.reads_from))
                                  : graph.thread(event.thread).known.happened;
  const bool closes_cycle = newest_event_closes_psc_cycle(graph);
  graph.retract_last();
  return !closes_cycle;
}

void Rc11::readable_writes(ExecutionGraph& graph, const Event& read, base::ArenaVector<EventId>& out) const {
  const Location& location = graph.location(read.location);
  const auto& order = location.modification_order;
  const std::uint32_t oldest = graph.newest_known(location, *graph.thread(read.thread).known.happened, read.thread);
  const std::uint32_t newest = static_cast<std::uint32_t>(order.size()) - 1;
  const std::uint32_t unchecked_from =
      oldest == newest || !graph.has_seq_cst_events() ? 0 : reaches_seq_cst(graph, location);
  for (std::uint32_t position = oldest; position <= newest; ++position) {
    const EventId write = order[position];
    if (read.kind == EventKind::rmw && graph.event(write).overwritten_by != graph::no_event) continue;
    if (position < unchecked_from && position != newest) {
      Event draft = read;
      draft.reads_from = write;
      if (!psc_allows(graph, draft, position + 1)) continue;
    }
    out.push_back(graph.arena(), write);
  }
}

void Rc11::mo_slots(ExecutionGraph& graph, const Event& write, base::ArenaVector<std::uint32_t>& out) const {
  const Location& location = graph.location(write.location);
  const auto& order = location.modification_order;
  const std::uint32_t first =
      graph.newest_known(location, *graph.thread(write.thread).known.happened, write.thread) + 1;
  const std::uint32_t newest = static_cast<std::uint32_t>(order.size());
  const std::uint32_t unchecked_from =
      first == newest || !graph.has_seq_cst_events() ? 0 : reaches_seq_cst(graph, location) + 1;
  for (std::uint32_t position = first; position <= newest; ++position) {
    if (graph.event(order[position - 1]).overwritten_by != graph::no_event) continue;
    if (position < unchecked_from && position != newest && !psc_allows(graph, write, position)) continue;
    out.push_back(graph.arena(), position);
  }
}

void Rc11::commit(ExecutionGraph& graph, EventId id) const {
  synchronise(graph, id, release_sequence_);
  const Event& event = graph.event(id);
  if (!is_seq_cst_fence(event)) return;
  auto& seq_cst = graph.seq_cst_knowledge.happened;
  seq_cst = base::VectorClock::join(
      graph.arena(), seq_cst, base::VectorClock::with(graph.arena(), event.clock, number(event.thread), event.index));
}

}  // namespace heddle::models
