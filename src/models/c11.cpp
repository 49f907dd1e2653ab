// The model of C11Tester and PCTWM (Gao et al., ASPLOS 2023, section 4): coherence, atomicity, mo and SC agree,
// and hb | rf | SC is acyclic, where SC is the order in which the seq_cst events were executed.
//
// The printed axioms alone let a seq_cst read ignore a seq_cst write that precedes it in SC; the paper's
// Algorithm 2 does not: a seq_cst event joins the whole view (bag) of its SC predecessors. We follow the
// algorithm. So a view is what (hb | SC)+ leads to, and coherence is stated over it; happens-before proper
// stays apart, since races are judged by it.
#include "models/c11.hpp"

#include "models/synchronisation.hpp"

namespace heddle::models {

using base::VectorClock;
using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::ExecutionGraph;
using graph::Thread;

namespace {

/// What the thread would have in view when it executes `event` now.
const VectorClock* view_at(ExecutionGraph& graph, const Event& event) {
  const VectorClock* view = graph.thread(event.thread).known.view;
  if (is_seq_cst_event(event)) view = VectorClock::join(graph.arena(), view, graph.seq_cst_knowledge.view);
  return view;
}

void update_view(ExecutionGraph& graph, Event& event, ReleaseSequence rule) {
  Thread& thread = graph.thread(event.thread);
  base::Arena& arena = graph.arena();
  const VectorClock* view = view_at(graph, event);
  if (reads(event.kind)) {
    const VectorClock* released = graph.event(event.reads_from).released_view;
    if (released != nullptr && is_acquire(event.order))
      view = VectorClock::join(arena, view, released);
    else if (released != nullptr && event.order != graph::MemoryOrder::plain)
      thread.acquirable.view = VectorClock::join(arena, thread.acquirable.view, released);
  }
  for (EventId releasing : event.synchronised)
    view = VectorClock::join(arena, view, graph.event(releasing).released_view);
  if (event.kind == EventKind::fence && is_acquire(event.order))
    view = VectorClock::join(arena, view, thread.acquirable.view);
  thread.known.view = event.view = view = VectorClock::join(arena, view, event.clock);

  const VectorClock* with_own = VectorClock::with(arena, view, number(event.thread), event.index);
  if (event.kind == EventKind::fence && is_release(event.order)) thread.release_fence.view = with_own;
  if (is_seq_cst_event(event))
    graph.seq_cst_knowledge.view = VectorClock::join(arena, graph.seq_cst_knowledge.view, with_own);
  // Whatever synchronise() let the event release, it releases with its view.
  if (event.released == nullptr) return;
  const bool releases_itself = is_release(event.order) || !accesses_memory(event.kind);
  event.released_view = releases_itself            ? with_own
                        : thread.has_release_fence ? VectorClock::join(arena, thread.release_fence.view, event.released)
                                                   : event.released;
  if (event.kind == EventKind::rmw && graph.event(event.reads_from).released_view != nullptr)
    event.released_view = VectorClock::join(arena, event.released_view, graph.event(event.reads_from).released_view);
  if (writes(event.kind) && rule == ReleaseSequence::c11)
    for_each_continued_release(graph, event, [&](const Event& earlier) {
      const VectorClock* head = VectorClock::with(arena, earlier.view, number(earlier.thread), earlier.index);
      event.released_view = VectorClock::join(arena, event.released_view, head);
    });
}

}  // namespace

void C11::readable_writes(ExecutionGraph& graph, const Event& read, base::ArenaVector<EventId>& out) const {
  const auto& location = graph.location(read.location);
  const auto& order = location.modification_order;
  for (std::uint32_t position = graph.newest_known(location, *view_at(graph, read), read.thread);
       position < order.size(); ++position) {
    if (read.kind == EventKind::rmw && graph.event(order[position]).overwritten_by != graph::no_event) continue;
    out.push_back(graph.arena(), order[position]);
  }
}

std::uint32_t C11::readable_from(ExecutionGraph& graph, const Event& read) const {
  return graph.newest_known(graph.location(read.location), *view_at(graph, read), read.thread);
}

bool C11::goes_last(ExecutionGraph& graph, const Event& write) const {
  const auto& location = graph.location(write.location);
  return graph.newest_known(location, *view_at(graph, write), write.thread) + 1 == location.modification_order.size();
}

void C11::mo_slots(ExecutionGraph& graph, const Event& write, base::ArenaVector<std::uint32_t>& out) const {
  const auto& location = graph.location(write.location);
  const auto& order = location.modification_order;
  for (std::uint32_t position = graph.newest_known(location, *view_at(graph, write), write.thread) + 1;
       position <= order.size(); ++position)
    if (graph.event(order[position - 1]).overwritten_by == graph::no_event) out.push_back(graph.arena(), position);
}

void C11::commit(ExecutionGraph& graph, EventId id) const {
  synchronise(graph, id, release_sequence_);
  Event& event = graph.event(id);
  if (event.thread == graph::no_thread || event.index % 2 == 1) return;
  update_view(graph, event, release_sequence_);
}

}  // namespace heddle::models
