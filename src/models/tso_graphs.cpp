// Let e be a new event, last of its thread. It gets edges out by rb or mo to writes that are newer than the write that
// it reads or follows, and no other event gets new edges but edges into e. So a cycle leads from such a newer write to
// e, and its last edge is ppo: the last edge cannot come from the write that e reads or follows, nor from a reader of
// an older write, because then the cycle was there before. Hence the condition: e may not go before the newest write
// that ghb* leads from to a ppo-predecessor of e. uniproc adds: nor before a write that its own thread wrote or read.
// As for sc, the candidates are a suffix of the modification order; only the view differs.
#include "models/tso_graphs.hpp"

#include "models/axioms.hpp"
#include "models/suffix_state.hpp"

namespace heddle::models {

using base::VectorClock;
using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::ExecutionGraph;
using graph::Location;
using graph::Relation;
using graph::ThreadId;

namespace {

/// ppo does not contain the event at all.
bool is_weak_fence(const Event& event) { return event.kind == EventKind::fence && !is_seq_cst(event.order); }
/// A load that may be executed before earlier stores of its thread reach memory.
bool passes_stores(const Event& event) {
  if (event.kind == EventKind::lock) return lacks_barrier(event);
  return event.kind == EventKind::load && !empties_buffer_before(event);
}
/// A store that may reach memory after later loads of its thread.
bool may_be_delayed(const Event& event) {
  if (event.kind == EventKind::unlock) return lacks_barrier(event);
  return event.kind == EventKind::store && !is_seq_cst(event.order);
}

/// Whether ppo contains a pair of sb.
bool is_preserved(const Event& a, const Event& b) {
  return !is_weak_fence(a) && !is_weak_fence(b) && !(may_be_delayed(a) && passes_stores(b));
}

/// The events from which ghb* leads to a ppo-predecessor of an event that comes next in a thread.
///
/// ppo orders all earlier events of a thread before an event that does not pass stores, and all earlier events that may
/// not be delayed before one that does. So two indices per thread hold the set: `all`, up to which every event belongs
/// to it (weak fences do not matter), and `undelayed`, up to which every event that may not be delayed does. Every
/// write of the set is in `all`. Like Before of sc_graphs.cpp, the set is computed for each question.
class GhbBefore {
 public:
  GhbBefore(const ExecutionGraph& graph, const Event& next)
      : graph_(graph), all_(graph.arena().create_array<std::uint32_t>(graph.threads().size())),
        undelayed_(graph.arena().create_array<std::uint32_t>(graph.threads().size())),
        progress_(graph.arena().create_array<Progress>(graph.threads().size())) {
    (passes_stores(next) ? undelayed_ : all_)[number(next.thread)] = graph.thread(next.thread).index;
    for (bool grows = true; grows;) {
      grows = false;
      for (std::uint32_t t = 0; t < all_.size(); ++t) grows |= follow(t);
    }
  }
  VectorClock clock() const { return {static_cast<std::uint32_t>(all_.size()), all_.data()}; }

 private:
  /// How many events of a thread were looked at: as members by `all`, and by `undelayed`.
  struct Progress {
    std::uint32_t all = 0, undelayed = 0;
  };

  bool follow(std::uint32_t t) {
    const auto& events = graph_.thread(ThreadId{t}).events;
    Progress& progress = progress_[t];
    const Progress begin = progress;
    while (progress.undelayed < events.size() && event_at(t, progress.undelayed).index <= undelayed_[t]) {
      const Event& event = event_at(t, progress.undelayed++);
      if (!may_be_delayed(event)) add_member(event);
    }
    while (progress.all < events.size() && event_at(t, progress.all).index <= all_[t])
      add_predecessors(event_at(t, progress.all++));
    return progress.all != begin.all || progress.undelayed != begin.undelayed;
  }
  const Event& event_at(std::uint32_t t, std::uint32_t place) const {
    return graph_.event(graph_.thread(ThreadId{t}).events[place]);
  }

  void add_member(const Event& event) {
    if (event.thread == graph::no_thread || is_weak_fence(event)) return;
    if (!passes_stores(event)) return raise(all_, event);
    raise(undelayed_, event);
    add_predecessors(event);
  }
  static void raise(std::span<std::uint32_t> indices, const Event& event) {
    std::uint32_t& index = indices[number(event.thread)];
    if (index < event.index) index = event.index;
  }

  /// Adds the predecessors in other threads.
  void add_predecessors(const Event& event) {
    if (is_weak_fence(event)) return;
    for (const EventId releasing : event.synchronised) add(graph_.event(releasing), event);
    if (reads(event.kind)) add(graph_.event(event.reads_from), event);
    if (!writes(event.kind)) return;
    const Location& location = graph_.location(event.location);
    const EventId predecessor = location.modification_order[event.mo_position - 1];
    add(graph_.event(predecessor), event);
    for (const graph::ThreadAccesses& by : location.accessed_by)
      for (const graph::Access& access : by.accesses) {
        const Event& reader = graph_.event(access.event);
        if (reads(reader.kind) && reader.reads_from == predecessor) add(reader, event);
      }
  }
  void add(const Event& predecessor, const Event& event) {
    if (predecessor.thread == graph::no_thread || predecessor.thread == event.thread) return;
    if (passes_stores(predecessor))
      raise(undelayed_, predecessor);
    else
      raise(all_, predecessor);
  }

  const ExecutionGraph& graph_;
  std::span<std::uint32_t> all_;
  std::span<std::uint32_t> undelayed_;
  std::span<Progress> progress_;
};

class TsoGraphsState final : public SuffixState {
 public:
  explicit TsoGraphsState(ExecutionGraph& graph) : SuffixState(graph) {}

 private:
  std::uint32_t oldest_allowed(const Event& event) override {
    return graph_.newest_known(graph_.location(event.location), GhbBefore(graph_, event).clock(), event.thread);
  }
};

}  // namespace

ModelState& TsoGraphs::begin_execution(ExecutionGraph& graph, base::Arena& arena) const {
  return *arena.create<TsoGraphsState>(graph);
}

std::optional<Violation> TsoGraphs::check(const ExecutionGraph& graph, base::Arena& scratch) const {
  const Axioms a(graph, scratch, ReleaseSequence::cpp20);
  const auto events = graph.events();
  Relation ppo(scratch, a.size), rfe(scratch, a.size);
  ppo.fill([&](std::size_t x, std::size_t y) { return a.sb.has(x, y) && is_preserved(events[x], events[y]); });
  rfe.fill([&](std::size_t x, std::size_t y) { return a.rf.has(x, y) && events[x].thread != events[y].thread; });
  if (!((a.sb & a.same_location) | a.rf | a.mo | a.rb).is_acyclic())
    return Violation{"tso uniproc: acyclic sb&loc | rf | mo | rb"};
  if (!a.is_atomic()) return Violation{"tso atomicity: rmw & (rb;mo) is empty"};
  if (!(ppo | rfe | a.mo | a.rb | a.asw).is_acyclic()) return Violation{"tso ghb: acyclic ppo | rfe | mo | rb | asw"};
  return std::nullopt;
}

}  // namespace heddle::models
