// Let e be a new event, last of its thread, and p the event before it in program order. If e reads w, it gets one edge
// out, by rb, to the successor of w in modification order. If e is inserted before a write, it gets one edge out, to
// that write. Its edges in come from p, from w or its predecessor in modification order, and from the readers of the
// latter. All of these but p already precede that one write, so a cycle has to go through p. Hence the only condition:
// e may not go before the newest write that (sb | rf | mo | rb | asw)* leads from to p. As for rc11, the candidates are
// a suffix of the modification order; only the view differs.
#include "models/sc_graphs.hpp"

#include "models/axioms.hpp"
#include "models/suffix_state.hpp"

namespace heddle::models {

using base::VectorClock;
using graph::Event;
using graph::EventId;
using graph::ExecutionGraph;
using graph::Location;
using graph::ThreadId;

namespace {

/// The events from which (sb | rf | mo | rb | asw)* leads to the last event of a thread. The set is closed under
/// program order, so a clock can hold it. It is computed for each question by a pass over the set. Keeping it would
/// save little: a new edge between old events changes the sets of all events behind it.
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

class ScGraphsState final : public SuffixState {
 public:
  explicit ScGraphsState(ExecutionGraph& graph) : SuffixState(graph) {}

 private:
  std::uint32_t oldest_allowed(const Event& event) const override {
    return graph_.newest_known(graph_.location(event.location), Before(graph_, event.thread).clock(), event.thread);
  }
};

}  // namespace

ModelState& ScGraphs::begin_execution(ExecutionGraph& graph, base::Arena& arena) const {
  return *arena.create<ScGraphsState>(graph);
}

std::optional<Violation> ScGraphs::check(const ExecutionGraph& graph, base::Arena& scratch) const {
  const Axioms a(graph, scratch, ReleaseSequence::cpp20);
  if (!(a.sb | a.rf | a.mo | a.rb | a.asw).is_acyclic()) return Violation{"sc: acyclic sb | rf | mo | rb"};
  return std::nullopt;
}

}  // namespace heddle::models
