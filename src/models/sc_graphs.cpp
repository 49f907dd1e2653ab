// Let the newest event e come after p in program order. Reading w, it gets one edge out: to the successor of w in
// modification order, by rb. Put before a write in modification order, it gets one edge to that. Its edges in come
// from p, from w or its predecessor in modification order, and from those who read the latter; these are all
// before that one write already, so a cycle has to come back through p. Hence: e may not go behind the newest
// write that (sb | rf | mo | rb)* leads from to p, and that is the only condition. As for rc11, the candidates
// are a suffix of the modification order; only the view differs.
#include "models/sc_graphs.hpp"

#include "models/axioms.hpp"
#include "models/synchronisation.hpp"

namespace heddle::models {

using base::VectorClock;
using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::ExecutionGraph;
using graph::Location;
using graph::ThreadId;

namespace {

/// Everything that (sb | rf | mo | rb)* leads from to the last event of a thread. Such sets are closed under
/// program order, so a clock holds one. It is computed anew for each question, in a pass over the set: an edge
/// between old events changes what everything behind it knows, so there is little to keep.
class Before {
 public:
  Before(const ExecutionGraph& graph, ThreadId thread)
      : graph_(graph), known_(graph.arena().create_array<std::uint32_t>(graph.threads().size())),
        done_(graph.arena().create_array<std::uint32_t>(graph.threads().size())) {
    known_[number(thread)] = graph.thread(thread).index;
    for (bool grows = true; grows;) {
      grows = false;
      for (std::uint32_t t = 0; t < known_.size(); ++t) grows |= follow(t);
    }
  }
  VectorClock clock() const { return {static_cast<std::uint32_t>(known_.size()), known_.data()}; }

 private:
  bool follow(std::uint32_t t) {
    const auto& events = graph_.thread(ThreadId{t}).events;
    const std::uint32_t begin = done_[t];
    while (done_[t] < events.size() && graph_.event(events[done_[t]]).index <= known_[t])
      add_predecessors(graph_.event(events[done_[t]++]));
    return done_[t] != begin;
  }
  void add_predecessors(const Event& event) {
    for (EventId releasing : event.synchronised) add(graph_.event(releasing));
    if (reads(event.kind)) add(graph_.event(event.reads_from));
    if (!writes(event.kind)) return;
    const Location& location = graph_.location(event.location);
    const EventId predecessor = location.modification_order[event.mo_position - 1];
    add(graph_.event(predecessor));
    for (const graph::ThreadAccesses& by : location.accessed_by) {
      if (by.thread == event.thread) continue;
      for (const graph::Access& access : by.accesses) {
        const Event& reader = graph_.event(access.event);
        if (reads(reader.kind) && reader.reads_from == predecessor) add(reader);
      }
    }
  }
  void add(const Event& event) {
    if (event.thread == graph::no_thread) return;
    std::uint32_t& known = known_[number(event.thread)];
    if (known < event.index) known = event.index;
  }

  const ExecutionGraph& graph_;
  std::span<std::uint32_t> known_;  ///< index of the newest event in the set, by thread
  std::span<std::uint32_t> done_;   ///< how many events had their predecessors added
};

std::uint32_t newest_before(ExecutionGraph& graph, const Event& event) {
  graph.keep_program_order();
  const Location& location = graph.location(event.location);
  const auto newest = static_cast<std::uint32_t>(location.modification_order.size()) - 1;
  if (newest == 0) return 0;
  return graph.newest_known(location, Before(graph, event.thread).clock(), event.thread);
}

bool is_overwritten(const ExecutionGraph& graph, EventId write) {
  return graph.event(write).overwritten_by != graph::no_event;
}

}  // namespace

void ScGraphs::readable_writes(ExecutionGraph& graph, const Event& read, base::ArenaVector<EventId>& out) const {
  const auto& order = graph.location(read.location).modification_order;
  for (std::uint32_t position = newest_before(graph, read); position < order.size(); ++position)
    if (read.kind != EventKind::rmw || !is_overwritten(graph, order[position]))
      out.push_back(graph.arena(), order[position]);
}

void ScGraphs::mo_slots(ExecutionGraph& graph, const Event& write, base::ArenaVector<std::uint32_t>& out) const {
  const auto& order = graph.location(write.location).modification_order;
  for (std::uint32_t position = newest_before(graph, write) + 1; position <= order.size(); ++position)
    if (!is_overwritten(graph, order[position - 1])) out.push_back(graph.arena(), position);
}

void ScGraphs::commit(ExecutionGraph& graph, EventId event) const { synchronise(graph, event, ReleaseSequence::cpp20); }

std::optional<Violation> ScGraphs::check(const ExecutionGraph& graph, base::Arena& scratch) const {
  const Axioms a(graph, scratch, ReleaseSequence::cpp20);
  if (!(a.sb | a.rf | a.mo | a.rb | a.asw).is_acyclic()) return Violation{"sc: acyclic sb | rf | mo | rb"};
  return std::nullopt;
}

}  // namespace heddle::models
