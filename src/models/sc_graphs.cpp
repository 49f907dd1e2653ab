// Let e be a new event, last of its thread, and p the event before it in program order. If e reads w, it gets one edge
// out, by rb, to the successor of w in modification order. If e is inserted before a write, it gets one edge out, to
// that write. Its edges in come from p, from w or its predecessor in modification order, and from the readers of the
// latter. All of these but p already precede that one write, so a cycle has to go through p. Hence the only condition:
// e may not go before the newest write that (sb | rf | mo | rb | asw)* leads from to p. As for rc11, the candidates are
// a suffix of the modification order; only the view differs.
#include "models/sc_graphs.hpp"

#include <algorithm>
#include <iterator>

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
/// program order, so a clock can hold it. It grows with the graph as long as no old event gets a new predecessor.
class Before {
 public:
  void update(const ExecutionGraph& graph, ThreadId thread) {
    graph_ = &graph;
    known_.resize(graph.arena(), graph.threads().size());
    done_.resize(graph.arena(), graph.threads().size());
    known_[number(thread)] = graph.thread(thread).index;
    for (bool grows = true; grows;) {
      grows = false;
      for (std::uint32_t t = 0; t < known_.size(); ++t) grows |= follow(t);
    }
  }
  void clear() {
    known_.clear();
    done_.clear();
  }
  VectorClock clock() const { return {static_cast<std::uint32_t>(known_.size()), known_.span().data()}; }

 private:
  bool follow(std::uint32_t t) {
    const auto& events = graph_->thread(ThreadId{t}).events;
    const std::uint32_t begin = done_[t];
    while (done_[t] < events.size() && graph_->event(events[done_[t]]).index <= known_[t])
      add_predecessors(graph_->event(events[done_[t]++]));
    return done_[t] != begin;
  }
  void add_predecessors(const Event& event) {
    for (EventId releasing : event.synchronised) add(graph_->event(releasing));
    if (reads(event.kind)) add(graph_->event(event.reads_from));
    if (!writes(event.kind)) return;
    const Location& location = graph_->location(event.location);
    add(graph_->event(location.modification_order[event.mo_position - 1]));
    for (const graph::ThreadAccesses& by : location.accessed_by)
      if (by.thread != event.thread) add_newest_before(by, event.mo_position);
  }
  /// Adds the thread's newest access that writes or reads a write before this position: the write at this position
  /// follows it in mo or rb. Coherence makes the positions of one thread's accesses grow with program order.
  void add_newest_before(const graph::ThreadAccesses& by, std::uint32_t position) {
    const auto accesses = by.accesses.span();
    const auto end = std::partition_point(accesses.begin(), accesses.end(), [&](const graph::Access& access) {
      return graph_->mo_position_of(graph_->event(access.event)) < position;
    });
    if (end != accesses.begin()) add(graph_->event(std::prev(end)->event));
  }
  void add(const Event& event) {
    if (event.thread == graph::no_thread) return;
    std::uint32_t& known = known_[number(event.thread)];
    if (known < event.index) known = event.index;
  }

  const ExecutionGraph* graph_ = nullptr;
  base::ArenaVector<std::uint32_t> known_;  ///< index of the newest event in the set, by thread
  base::ArenaVector<std::uint32_t> done_;   ///< how many events had their predecessors added, by thread
};

class ScGraphsState final : public SuffixState {
 public:
  explicit ScGraphsState(ExecutionGraph& graph) : SuffixState(graph) {}

  void commit(EventId id) override {
    SuffixState::commit(id);
    if (!precedes_old_event(graph_.event(id))) return;
    for (Before& before : before_) before.clear();
  }
  void forget(const graph::Renaming&) override { before_ = {}; }

 private:
  std::uint32_t oldest_allowed(const Event& event) override {
    if (before_.size() <= number(event.thread)) before_.resize(graph_.arena(), number(event.thread) + 1);
    Before& before = before_[number(event.thread)];
    before.update(graph_, event.thread);
    return graph_.newest_known(graph_.location(event.location), before.clock(), event.thread);
  }
  /// Whether the event, the last of its thread, has an edge out: by mo if it is a write, by rb if it is a read.
  bool precedes_old_event(const Event& event) const {
    if (!reads(event.kind) && !writes(event.kind)) return false;
    return graph_.mo_position_of(event) + std::size_t{1} < graph_.location(event.location).modification_order.size();
  }

  base::ArenaVector<Before> before_;  ///< by thread; emptied when an old event gets a new predecessor
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
