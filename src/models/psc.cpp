// psc = ([SC] | [F_sc];hb?) ; scb ; ([SC] | hb?;[F_sc])  |  [F_sc];(hb | hb;eco;hb);[F_sc]
// scb = sb | sb\loc;hb;sb\loc | hb&loc | mo | rb            (Lahav et al., PLDI 2017, section 3)
//
// Each edge between two seq_cst events is decided case by case from clocks and modification order, without building
// relations. Two facts keep the cases short. First, hb is transitive and contains program order: of the events after a
// in program order the first happens before most events, and of the events before b the last knows most. So one witness
// each decides the existential in sb\loc;hb;sb\loc. Second, eco on one location compares positions in modification
// order.
#include "models/psc.hpp"

namespace heddle::models {

using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::ExecutionGraph;
using graph::happens_before;
using graph::Location;
using graph::LocationId;

/// The edges of psc, decided from clocks and modification order.
class SeqCstOrder::Edges {
 public:
  explicit Edges(const ExecutionGraph& graph) : graph_(graph) {}

  /// Whether psc has an edge from a to b, two different events.
  bool edge(const Event& a, const Event& b) const {
    if (a.kind == EventKind::fence || b.kind == EventKind::fence) return edge_of_fence(a, b);
    // [SC];scb;[SC]
    if (a.thread == b.thread) return a.index < b.index;
    const bool ordered = happens_before(a, b);
    if (a.location == b.location && (ordered || mo_or_rb(a, b))) return true;
    return ordered && is_elsewhere_between(a, b);
  }

 private:
  [[gnu::noinline]] bool edge_of_fence(const Event& a, const Event& b) const {
    if (a.kind != EventKind::fence) return access_to_fence(a, b);
    return b.kind == EventKind::fence ? fence_to_fence(a, b) : fence_to_access(a, b);
  }

  // [F];hb;[F] and [F];hb;eco;hb;[F]; the psc_base paths between fences are among them.
  bool fence_to_fence(const Event& a, const Event& b) const {
    if (happens_before(a, b)) return true;
    const auto id = static_cast<std::size_t>(&a - graph_.events().data());
    for (const Location& location : graph_.locations())
      if (location.accessed_by.size() > 1 && was_accessed_after(location, id) && eco_between(a, location, b))
        return true;
    return false;
  }
  static bool was_accessed_after(const Location& location, std::size_t id) {
    for (const graph::ThreadAccesses& by : location.accessed_by)
      if (!by.accesses.empty() && number(by.accesses.back().event) > id) return true;
    return false;
  }

  // hb;eco;hb through one location. Let the write of an access be the write that it makes, or reads. eco leads from x
  // to y if the write of x is older in modification order than the write of y, or if y is a load that reads from x. (If
  // x and y are of one thread, a happens before b.) So two writes decide: the oldest write of an access after a, and
  // the newest write of an access before b. By coherence the writes of a thread's accesses get newer in program order,
  // and its clocks grow. So the first access of each thread after a, and the last before b, are enough.
  bool eco_between(const Event& a, const Location& location, const Event& b) const {
    constexpr std::uint32_t none = 0xffffffffU;
    std::uint32_t oldest = none;
    bool oldest_is_written = false;
    for (const auto& by : location.accessed_by) {
      const Event* x = first_after(a, by);
      if (x == nullptr) continue;
      const std::uint32_t position = position_of(*x);
      if (position > oldest) continue;
      oldest_is_written = x->kind != EventKind::load || (position == oldest && oldest_is_written);
      oldest = position;
    }
    if (oldest == none) return false;
    for (const auto& by : location.accessed_by) {
      const Event* y = last_before(by, b);
      if (y == nullptr) continue;
      const std::uint32_t position = position_of(*y);
      if (position > oldest || (position == oldest && oldest_is_written && y->kind == EventKind::load)) return true;
    }
    return false;
  }

  const Event* first_after(const Event& a, const graph::ThreadAccesses& by) const {
    const Event* first = nullptr;
    for (std::size_t i = by.accesses.size(); i-- > 0;) {
      const Event& event = graph_.event(by.accesses[i].event);
      if (happens_before(a, event))
        first = &event;
      else if (event.index % 2 == 0)  // a plain store that was found in memory has no clock
        break;
    }
    return first;
  }
  const Event* last_before(const graph::ThreadAccesses& by, const Event& b) const {
    for (std::size_t i = by.accesses.size(); i-- > 0;) {
      const Event& event = graph_.event(by.accesses[i].event);
      if (happens_before(event, b)) return &event;
    }
    return nullptr;
  }
  /// The position in modification order of the write that the access made, or read.
  std::uint32_t position_of(const Event& access) const {
    return access.kind == EventKind::load ? graph_.mo_position_of(access) : access.mo_position;
  }

  // [F];hb?;scb;[SC]
  bool fence_to_access(const Event& a, const Event& b) const {
    const Event* before_b = program_order_neighbour(b, -1);
    if (before_b != nullptr && (before_b == &a || happens_before(a, *before_b))) return true;
    return any_access(graph_.location(b.location), [&](const Event& x) {
      return &x != &b && happens_before(a, x) && (happens_before(x, b) || mo_or_rb(x, b));
    });
  }

  // [SC];scb;hb?;[F]
  bool access_to_fence(const Event& a, const Event& b) const {
    const Event* after_a = program_order_neighbour(a, +1);
    if (after_a != nullptr && (after_a == &b || happens_before(*after_a, b))) return true;
    return any_access(graph_.location(a.location), [&](const Event& y) {
      return &y != &a && happens_before(y, b) && (happens_before(a, y) || mo_or_rb(a, y));
    });
  }

  // sb\loc;hb;sb\loc; only if a happens before b.
  [[gnu::noinline]] bool is_elsewhere_between(const Event& a, const Event& b) const {
    const Event* c = first_elsewhere(a, +1);
    const Event* d = first_elsewhere(b, -1);
    return c != nullptr && d != nullptr && happens_before(*c, *d);
  }

  bool mo_or_rb(const Event& x, const Event& y) const {
    if (!writes(y.kind) || &x == &y) return false;
    const std::uint32_t from = x.kind == EventKind::load ? graph_.mo_position_of(x) : x.mo_position;
    return from < y.mo_position;
  }

  const Event* program_order_neighbour(const Event& event, int step) const {
    if (event.thread == graph::no_thread) return nullptr;
    const auto& events = graph_.thread(event.thread).events;
    const std::size_t next = place_in_thread(event) + static_cast<std::size_t>(step);
    return next < events.size() ? &graph_.event(events[next]) : nullptr;
  }

  /// The nearest event in program order, forwards or backwards, that is not at the same location. Null: none.
  const Event* first_elsewhere(const Event& event, int step) const {
    if (event.thread == graph::no_thread) return nullptr;
    const auto& events = graph_.thread(event.thread).events;
    for (std::size_t at = place_in_thread(event) + static_cast<std::size_t>(step); at < events.size();
         at += static_cast<std::size_t>(step)) {
      const Event& e = graph_.event(events[at]);
      if (e.location != event.location || e.location == graph::no_location) return &e;
    }
    return nullptr;
  }

  /// Events have the indices 2, 4, 6, ...; plain stores that were found in memory only move them to higher places.
  std::size_t place_in_thread(const Event& event) const {
    const auto& events = graph_.thread(event.thread).events;
    std::size_t at = event.index / 2 - (event.index % 2 == 0 ? 1 : 0);
    while (&graph_.event(events[at]) != &event) ++at;
    return at;
  }

  /// Asks `holds` about all accesses to the location but its init event. That one is never on a psc path between
  /// seq_cst events: nothing happens before it, and nothing is mo- or rb-before it.
  template <typename Predicate>
  bool any_access(const Location& location, Predicate holds) const {
    for (const auto& by : location.accessed_by)
      for (const auto& access : by.accesses)
        if (holds(graph_.event(access.event))) return true;
    return false;
  }

  const ExecutionGraph& graph_;
};

/// Where psc leads from the fences before an access, because of that access, if the access is before the writes from
/// position `next` of the modification order on.
class SeqCstOrder::Ahead {
 public:
  Ahead(SeqCstOrder& order, LocationId location, std::uint32_t next)
      : location_(location), next_(next), accesses_(order.first_ahead_) {
    const ExecutionGraph& graph = order.graph_;
    accesses_.clear();
    // By coherence, the writes of a thread's accesses get newer in program order: search from the end.
    for (const auto& by : graph.location(location).accessed_by) {
      std::uint32_t index = none;
      for (std::size_t i = by.accesses.size(); i-- > 0;) {
        const graph::Access& access = by.accesses[i];
        if (graph.mo_position_of(graph.event(access.event)) < next) break;
        if (access.index < index) index = access.index;
      }
      if (index != none) accesses_.push_back(graph.arena(), {by.thread, index});
    }
  }

  /// hb;scb to an access; hb;scb or hb;eco;hb to a fence.
  bool leads_to(const Event& b) const {
    if (b.kind != EventKind::fence) return writes(b.kind) && b.location == location_ && b.mo_position >= next_;
    for (const auto& [thread, index] : accesses_)
      if (thread == b.thread ? index < b.index : (*b.clock)[number(thread)] >= index) return true;
    return false;
  }

 private:
  static constexpr std::uint32_t none = 0xffffffffU;

  LocationId location_;
  std::uint32_t next_;
  base::ArenaVector<FirstAccess>& accesses_;  ///< the first access of each thread to those writes
};

namespace {
/// Whether `event` is a fence that happens before `newest`, which is the last event of its thread, or will be.
bool is_fence_before(const Event& event, const Event& newest) {
  return event.kind == EventKind::fence &&
         (event.thread == newest.thread || (*newest.clock)[number(event.thread)] >= event.index);
}
}  // namespace

bool SeqCstOrder::is_placed_back(const ExecutionGraph& graph, const Event& event) {
  if (!accesses_memory(event.kind) || event.thread == graph::no_thread) return false;
  return graph.mo_position_of(event) + 1 != graph.location(event.location).modification_order.size();
}

void SeqCstOrder::add(EventId id, bool is_placed_back) {
  const Event& event = graph_.event(id);
  if (is_seq_cst_fence(event)) {
    base::Arena& arena = graph_.arena();
    const auto* up_to_fence = base::VectorClock::with(arena, event.clock, number(event.thread), event.index);
    before_fences_ = base::VectorClock::join(arena, before_fences_, up_to_fence);
  }
  if (graph_.has_forgotten()) return;
  if (is_seq_cst_event(event)) {
    if (events_.empty()) graph_.keep_program_order();  // Edges looks at neighbours in program order
    events_.push_back(graph_.arena(), id);
  }
  if (!accesses_memory(event.kind) || event.thread == graph::no_thread) return;
  if (is_placed_back) placed_back_.push_back(graph_.arena(), id);
  // A plain store that was found late may happen before events that are already in the graph. Then earlier accesses of
  // other threads to the location get new edges. The events of its own thread happen before it and have these edges.
  if (event.index % 2 != 0 && was_accessed_before(graph_.location(event.location), id)) is_outdated_ = true;
}

/// Whether another thread accessed the location before the event. The graph may contain later accesses, too.
bool SeqCstOrder::was_accessed_before(const Location& location, EventId id) const {
  for (const graph::ThreadAccesses& by : location.accessed_by)
    for (const graph::Access& access : by.accesses)
      if (by.thread != graph_.event(id).thread && number(access.event) < number(id)) return true;
  return false;
}

void SeqCstOrder::forget(base::Arena& to) {
  before_fences_ = base::VectorClock::move(to, before_fences_);
  events_.forget();
  reachability_.forget();
  placed_back_.forget();
  is_outdated_ = false;
  sources_.forget();
  targets_.forget();
  added_.forget();
  first_ahead_.forget();
}

/// Nothing leads out of a new event but the edges in placed_back_, so a new node only gets edges in.
void SeqCstOrder::add_newest_node() {
  const Edges psc(graph_);
  const std::size_t node = reachability_.size();
  const Event& event = graph_.event(events_[node]);
  reachability_.add_node(graph_.arena());
  for (std::size_t i = node; i-- > 0;)
    if (!reachability_.leads(i, node) &&
        (graph_.event(events_[i]).thread == event.thread || psc.edge(graph_.event(events_[i]), event)))
      reachability_.add_edge_to_newest(i);
}

/// Adds the edges from the fences before `event` to what is ahead of it. psc orders the seq_cst events of a thread, so
/// most of these edges are already implied.
void SeqCstOrder::add_edges_of_fences(const Event& event) {
  const Ahead leads(*this, event.location, graph_.mo_position_of(event) + 1);
  added_.clear(graph_.arena(), events_.size());
  for (std::size_t to = 0; to < events_.size(); ++to) {
    const Event& target = graph_.event(events_[to]);
    if (!reachability_.leads(added_, to) && target.thread != event.thread && leads.leads_to(target)) added_.add(to);
  }
  if (added_.empty()) return;
  for (std::size_t from = 0; from < events_.size(); ++from) {
    const Event& fence = graph_.event(events_[from]);
    if (fence.kind == EventKind::fence && happens_before(fence, event)) reachability_.add_edges(from, added_);
  }
}

void SeqCstOrder::add_edges_out_of(const Event& event) {
  if (has_fences()) add_edges_of_fences(event);
  if (!is_seq_cst_event(event)) return;
  const Edges psc(graph_);
  std::size_t itself = 0;
  while (&graph_.event(events_[itself]) != &event) ++itself;
  added_.clear(graph_.arena(), events_.size());
  for (std::size_t to = 0; to < events_.size(); ++to)
    if (to != itself && !reachability_.leads(itself, to) && !reachability_.leads(added_, to) &&
        psc.edge(event, graph_.event(events_[to])))
      added_.add(to);
  if (!added_.empty()) reachability_.add_edges(itself, added_);
}

void SeqCstOrder::build_anew() {
  const Edges psc(graph_);
  reachability_.forget();
  for (std::size_t i = 0; i < events_.size(); ++i) reachability_.add_node(graph_.arena());
  for (std::size_t from = 0; from < events_.size(); ++from) {
    added_.clear(graph_.arena(), events_.size());
    for (std::size_t to = 0; to < events_.size(); ++to)
      if (from != to && !reachability_.leads(from, to) && !reachability_.leads(added_, to) &&
          psc.edge(graph_.event(events_[from]), graph_.event(events_[to])))
        added_.add(to);
    reachability_.add_edges(from, added_);
  }
}

void SeqCstOrder::bring_up_to_date() {
  if (is_outdated_) {
    build_anew();
  } else {
    while (reachability_.size() < events_.size()) add_newest_node();
    for (const EventId id : placed_back_) add_edges_out_of(graph_.event(id));
  }
  is_outdated_ = false;
  placed_back_.clear();
}

/// closes_cycle() for a draft that is not seq_cst. Every fence before it gets the same edges.
bool SeqCstOrder::fences_close_cycle(const Event& draft, std::uint32_t next) {
  auto &fences = sources_, &ahead = targets_;
  if (!has_fences()) return false;
  fences.clear(graph_.arena(), events_.size());
  for (std::size_t i = 0; i < events_.size(); ++i)
    if (is_fence_before(graph_.event(events_[i]), draft)) fences.add(i);
  if (fences.empty()) return false;
  const Ahead leads(*this, draft.location, next);
  ahead.clear(graph_.arena(), events_.size());
  for (std::size_t i = 0; i < events_.size(); ++i)
    if (leads.leads_to(graph_.event(events_[i]))) ahead.add(i);
  if (ahead.empty()) return false;
  if (fences.meets(ahead)) return true;
  bring_up_to_date();
  for (std::size_t i = 0; i < events_.size(); ++i)
    if (fences.contains(i) && reachability_.leads(ahead, i)) return true;
  return false;
}

/// closes_cycle() for a seq_cst access, which is the newest event of the graph but not a node yet. A cycle goes through
/// an edge that a fence gets, or through the access itself. If it goes through both, there is also a cycle through one
/// of them alone: the fences before a write lead to it, and a load leads to nothing that the fences before it do not
/// get edges to.
bool SeqCstOrder::access_closes_cycle(const Event& access, const Ahead& leads) {
  const Edges psc(graph_);
  auto &ahead_of_fences = sources_, &ahead = targets_;
  ahead_of_fences.clear(graph_.arena(), events_.size());
  ahead.clear(graph_.arena(), events_.size());
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const Event& event = graph_.event(events_[i]);
    if (has_fences() && leads.leads_to(event)) ahead_of_fences.add(i);
    if (psc.edge(access, event)) ahead.add(i);
  }
  if (ahead_of_fences.empty() && ahead.empty()) return false;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const Event& event = graph_.event(events_[i]);
    if (has_fences() && is_fence_before(event, access) && reachability_.leads(ahead_of_fences, i)) return true;
    if (reachability_.leads(ahead, i) && psc.edge(event, access)) return true;
  }
  return false;
}

bool SeqCstOrder::closes_cycle(const Event& draft, std::uint32_t next) {
  if (!is_seq_cst_event(draft)) return fences_close_cycle(draft, next);
  bring_up_to_date();
  const Ahead leads(*this, draft.location, next);
  const Event begun = graph_.begun_event();  // `draft` may be this event
  const EventId id = graph_.append(draft, next);
  graph_.event(id).clock = draft.clock;
  const bool closes = access_closes_cycle(graph_.event(id), leads);
  graph_.retract_last();
  graph_.begun_event() = begun;
  return closes;
}

}  // namespace heddle::models
