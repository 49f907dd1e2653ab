// Let e be a new event, last of its thread. As under tso (tso_graphs.cpp), a new cycle of ghb leads from a write that
// is newer than the one that e reads or follows to a ppo-predecessor of e. A load under pslo is different: it gets no
// edge out itself. The thread's last acquire gets edges to the newer writes, so the cycle leads from such a write to
// the acquire. Either way the candidates are a suffix of the modification order.
#include "models/pso_graphs.hpp"

#include "models/axioms.hpp"
#include "models/suffix_state.hpp"

namespace heddle::models {

using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::ExecutionGraph;
using graph::Location;
using graph::Relation;

namespace {

/// Above the indices of all events.
constexpr std::uint32_t end_of_thread = ~std::uint32_t{0};

bool is_store(const Event& event) { return event.kind == EventKind::store; }

/// The last event of the thread before the given index after which loads read nothing older than memory; null: none.
const Event* last_refresh(const ExecutionGraph& graph, PsoRules rules, graph::ThreadId thread, std::uint32_t before) {
  const auto& events = graph.thread(thread).events;
  for (std::size_t i = events.size(); i-- > 0;) {
    const Event& earlier = graph.event(events[i]);
    if (earlier.index < before && rules.forbids_old_reads(earlier)) return &earlier;
  }
  return nullptr;
}

/// The events from which ghb* leads to given ones. Unlike under tso, it has no simple shape in a thread, since stores
/// to different locations are not ordered. So it is a set, computed for each question.
class GhbBefore {
 public:
  GhbBefore(const ExecutionGraph& graph, PsoRules rules)
      : graph_(graph), rules_(rules), is_member_(graph.arena().create_array<bool>(graph.events().size())) {}

  /// Adds the event and what leads to it.
  void add(const Event& event) {
    enter(event);
    follow();
  }
  /// Adds what leads to an event that comes next in its thread.
  void add_predecessors_of_next(const Event& next) {
    enter_preserved(next, graph_.thread(next.thread).events.size());
    follow();
  }
  /// The position of the newest write of the location in the set.
  std::uint32_t newest_write(const Location& location) const {
    auto position = static_cast<std::uint32_t>(location.modification_order.size()) - 1;
    while (position > 0 && !is_member_[number(location.modification_order[position])]) --position;
    return position;
  }

 private:
  void enter(const Event& event) {
    if (event.thread == graph::no_thread) return;
    const auto id = static_cast<std::uint32_t>(&event - graph_.events().data());
    if (is_member_[id]) return;
    is_member_[id] = true;
    unfollowed_.push_back(graph_.arena(), EventId{id});
  }
  void follow() {
    while (!unfollowed_.empty()) {
      const Event& event = graph_.event(unfollowed_.back());
      unfollowed_.pop_back();
      enter_predecessors(event);
    }
  }
  void enter_predecessors(const Event& event) {
    const auto& own = graph_.thread(event.thread).events;
    std::size_t place = own.size();
    while (place > 0 && graph_.event(own[place - 1]).index >= event.index) --place;
    enter_preserved(event, place);
    for (const EventId releasing : event.synchronised) enter(graph_.event(releasing));
    if (reads(event.kind)) {
      const Event& source = graph_.event(event.reads_from);
      if (!is_buffered_load(event) || source.thread != event.thread) enter(source);
    }
    if (writes(event.kind)) enter_overwritten(event);
  }
  /// The ppo-predecessors of an event that has `place` events of its thread before it.
  void enter_preserved(const Event& event, std::size_t place) {
    bool is_drained = rules_.drained_before(event) == Drained::all;
    for (const auto& own = graph_.thread(event.thread).events; place-- > 0;) {
      const Event& earlier = graph_.event(own[place]);
      is_drained |= drains_after(earlier);
      if (is_drained || !is_store(earlier)) enter(earlier);
      is_drained |= rules_.drained_before(earlier) == Drained::all;
    }
  }
  /// The write that this one follows in modification order, and its readers.
  void enter_overwritten(const Event& write) {
    const Location& location = graph_.location(write.location);
    const EventId predecessor = location.modification_order[write.mo_position - 1];
    enter(graph_.event(predecessor));
    for (const graph::ThreadAccesses& by : location.accessed_by)
      for (const graph::Access& access : by.accesses) {
        const Event& reader = graph_.event(access.event);
        if (!reads(reader.kind) || reader.reads_from != predecessor || &reader == &write) continue;
        if (rules_.old_reads == OldReads::no || !is_buffered_load(reader))
          enter(reader);
        else if (const Event* refresh = last_refresh(graph_, rules_, reader.thread, reader.index))
          enter(*refresh);
      }
  }

  const ExecutionGraph& graph_;
  PsoRules rules_;
  std::span<bool> is_member_;  ///< by event
  base::ArenaVector<EventId> unfollowed_;
};

class PsoGraphsState final : public SuffixState {
 public:
  PsoGraphsState(ExecutionGraph& graph, PsoRules rules) : SuffixState(graph), rules_(rules) {}

 private:
  std::uint32_t oldest_allowed(const Event& event) override {
    const Location& location = graph_.location(event.location);
    const std::uint32_t by_coherence = graph_.newest_known(location, *base::VectorClock::empty(), event.thread);
    GhbBefore before(graph_, rules_);
    if (rules_.old_reads == OldReads::no || !is_buffered_load(event)) {
      before.add_predecessors_of_next(event);
    } else {
      const Event* refresh = last_refresh(graph_, rules_, event.thread, end_of_thread);
      if (refresh == nullptr) return by_coherence;
      before.add(*refresh);
    }
    const std::uint32_t by_ghb = before.newest_write(location);
    return by_ghb > by_coherence ? by_ghb : by_coherence;
  }

  PsoRules rules_;
};

}  // namespace

ModelState& PsoGraphs::begin_execution(ExecutionGraph& graph, base::Arena& arena) const {
  return *arena.create<PsoGraphsState>(graph, rules_);
}

std::optional<Violation> PsoGraphs::check(const ExecutionGraph& graph, base::Arena& scratch) const {
  const Axioms a(graph, scratch, ReleaseSequence::cpp20);
  const auto events = graph.events();
  if (!((a.sb & a.same_location) | a.rf | a.mo | a.rb).is_acyclic())
    return Violation{"pso uniproc: acyclic sb&loc | rf | mo | rb"};
  if (!a.is_atomic()) return Violation{"pso atomicity: rmw & (rb;mo) is empty"};

  const Relation drain = a.only([this](const Event& e) { return rules_.drained_before(e) == Drained::all; });
  const Relation late_drain = a.only(drains_after);
  const Relation no_store = a.only([](const Event& e) { return !is_store(e); });
  const Relation ppo = no_store * a.sb | a.sb * drain * a.sb.maybe() | a.sb.maybe() * late_drain * a.sb;
  Relation rfm(scratch, a.size);
  rfm.fill([&](std::size_t x, std::size_t y) {
    return a.rf.has(x, y) && (events[x].thread != events[y].thread || !is_buffered_load(events[y]));
  });
  Relation rbm = a.rb;
  if (rules_.old_reads == OldReads::allowed) {
    const Relation buffered_load = a.only(is_buffered_load);
    const Relation memory_read = a.only([](const Event& e) { return reads(e.kind) && !is_buffered_load(e); });
    const Relation refresh = a.only([this](const Event& e) { return rules_.forbids_old_reads(e); });
    rbm = refresh * a.sb * buffered_load * a.rb | memory_read * a.rb;
  }
  if (!(ppo | rfm | a.mo | rbm | a.asw).is_acyclic()) return Violation{"pso ghb: acyclic ppo | rfm | mo | rbm | asw"};
  return std::nullopt;
}

}  // namespace heddle::models
