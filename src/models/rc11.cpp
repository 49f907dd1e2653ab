// RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer: Repairing sequential consistency in C/C++11, PLDI 2017), with
// the release sequences of C++20. Incrementally:
//   coherence   a read may not go back behind what its thread knows of the location, and a write goes after
//               that; nothing in the graph happens after the newest event, so there is no upper bound;
//   atomicity   an rmw sits directly behind the write it reads, and no write has two rmw readers;
//   SC          psc stays acyclic;
//   no thin air events are added in an order that contains sb and rf, so sb | rf is acyclic by construction.
#include "models/rc11.hpp"

#include "base/fast_paths.hpp"
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

/// May `draft` be added, before the writes from `next` on? Asked from the oldest place to the newest, and only where
/// the search could say no; without fast paths everywhere, but never so that a choice depends on it that does not
/// otherwise.
class PscFilter {
 public:
  /// `limit`: with more seq_cst events nothing is allowed that needs the search.
  PscFilter(ExecutionGraph& graph, std::size_t limit) : graph_(graph), limit_(limit) {}

  static bool asks_for(bool is_needed) { return is_needed || !base::fast_paths; }
  bool allows(Event draft, std::uint32_t next, bool is_needed) {
    if (graph_.has_forgotten()) return !is_needed;  // the search goes through events of any age
    if (graph_.seq_cst_events().size() > limit_) return !is_needed;
    draft.clock = reads(draft.kind) ? clock_when_reading(graph_, draft, graph_.event(draft.reads_from))
                                    : graph_.thread(draft.thread).known.happened;
    // A newer place has fewer edges out, and the same edges in: those of a seq_cst write excepted, and if the read
    // learns no more than the one before.
    const bool is_seq_cst_write = is_seq_cst_event(draft) && writes(draft.kind);
    if (base::fast_paths && draft.clock == allowed_clock_ && !is_seq_cst_write) return true;
    if (draft_closes_psc_cycle(graph_, draft, next)) return false;
    allowed_clock_ = draft.clock;
    return true;
  }

 private:
  ExecutionGraph& graph_;
  std::size_t limit_;
  const base::VectorClock* allowed_clock_ = nullptr;  ///< with it an older place was allowed
};

}  // namespace

void Rc11::readable_writes(ExecutionGraph& graph, const Event& read, base::ArenaVector<EventId>& out) const {
  const Location& location = graph.location(read.location);
  const auto& order = location.modification_order;
  const std::uint32_t oldest = graph.newest_known(location, *graph.thread(read.thread).known.happened, read.thread);
  const std::uint32_t newest = static_cast<std::uint32_t>(order.size()) - 1;
  const std::uint32_t unchecked_from =
      oldest == newest || !graph.has_seq_cst_events() ? 0 : reaches_seq_cst(graph, location);
  PscFilter psc(graph, psc_limit());
  for (std::uint32_t position = oldest; position <= newest; ++position) {
    const EventId write = order[position];
    if (read.kind == EventKind::rmw && graph.event(write).overwritten_by != graph::no_event) continue;
    const bool is_needed = position < unchecked_from && position != newest;
    if (PscFilter::asks_for(is_needed)) {
      Event draft = read;
      draft.reads_from = write;
      if (!psc.allows(draft, position + 1, is_needed)) continue;
    }
    out.push_back(graph.arena(), write);
  }
}

std::uint32_t Rc11::readable_from(ExecutionGraph& graph, const Event& read) const {
  const Location& location = graph.location(read.location);
  const std::uint32_t oldest = graph.newest_known(location, *graph.thread(read.thread).known.happened, read.thread);
  if (oldest + 1 == location.modification_order.size() || !graph.has_seq_cst_events()) return oldest;
  return oldest < reaches_seq_cst(graph, location) ? unknown : oldest;
}

bool Rc11::goes_last(ExecutionGraph& graph, const Event& write) const {
  const Location& location = graph.location(write.location);
  return graph.newest_known(location, *graph.thread(write.thread).known.happened, write.thread) + 1 ==
         location.modification_order.size();
}

void Rc11::mo_slots(ExecutionGraph& graph, const Event& write, base::ArenaVector<std::uint32_t>& out) const {
  const Location& location = graph.location(write.location);
  const auto& order = location.modification_order;
  const std::uint32_t first =
      graph.newest_known(location, *graph.thread(write.thread).known.happened, write.thread) + 1;
  const std::uint32_t newest = static_cast<std::uint32_t>(order.size());
  const std::uint32_t unchecked_from =
      first == newest || !graph.has_seq_cst_events() ? 0 : reaches_seq_cst(graph, location) + 1;
  PscFilter psc(graph, psc_limit());
  for (std::uint32_t position = first; position <= newest; ++position) {
    if (graph.event(order[position - 1]).overwritten_by != graph::no_event) continue;
    const bool is_needed = position < unchecked_from && position != newest;
    if (PscFilter::asks_for(is_needed) && !psc.allows(write, position, is_needed)) continue;
    out.push_back(graph.arena(), position);
  }
}

void Rc11::commit(ExecutionGraph& graph, EventId id) const {
  synchronise(graph, id, release_sequence_);
  if (!graph.has_seq_cst_events()) return;
  notice_for_psc(graph, id);
  const Event& event = graph.event(id);
  if (!is_seq_cst_fence(event)) return;
  auto& seq_cst = graph.seq_cst_knowledge.happened;
  seq_cst = base::VectorClock::join(
      graph.arena(), seq_cst, base::VectorClock::with(graph.arena(), event.clock, number(event.thread), event.index));
}

}  // namespace heddle::models
