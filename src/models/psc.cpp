// psc = ([SC] | [F_sc];hb?) ; scb ; ([SC] | hb?;[F_sc])  |  [F_sc];(hb | hb;eco;hb);[F_sc]
// scb = sb | sb\loc;hb;sb\loc | hb&loc | mo | rb            (Lahav et al., PLDI 2017, section 3)
//
// The edge between two seq_cst events is decided case by case from clocks and modification order, without
// building relations. Two facts keep the cases short. First, hb is closed: the earliest event after A in
// program order happens before most, the latest before B knows most, so one witness each decides the
// existential in sb\loc;hb;sb\loc. Second, eco on one location compares places in modification order.
#include "models/psc.hpp"

#include "base/arena.hpp"

namespace heddle::models {

using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::ExecutionGraph;
using graph::happens_before;
using graph::Location;
using graph::LocationId;

namespace {

class Psc {
 public:
  explicit Psc(const ExecutionGraph& graph) : graph_(graph) {}

  /// Of two different events.
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
      if (number(location.newest_access) > id && location.accessed_by.size() > 1 && eco_between(a, location, b))
        return true;
    return false;
  }

  // hb;eco;hb through one location. eco goes from x to y if the write of x (its own, or that it reads) is older in
  // modification order than the write of y, or if y is a load that reads from x. (If both are one thread's, a happens
  // before b.) So the oldest write that an access after a stands for, and the newest that an access before b stands
  // for, decide. A thread's accesses stand for newer and newer writes (coherence), and know more and more: its first
  // after a and its last before b are enough.
  bool eco_between(const Event& a, const Location& location, const Event& b) const {
    constexpr std::uint32_t none = 0xffffffffU;
    std::uint32_t oldest = none;
    bool oldest_is_written = false;
    for (const auto& by : location.accessed_by) {
      const Event* x = first_after(a, by);
      if (x == nullptr) continue;
      const std::uint32_t position = place(*x);
      if (position > oldest) continue;
      oldest_is_written = x->kind != EventKind::load || (position == oldest && oldest_is_written);
      oldest = position;
    }
    if (oldest == none) return false;
    for (const auto& by : location.accessed_by) {
      const Event* y = last_before(by, b);
      if (y == nullptr) continue;
      const std::uint32_t position = place(*y);
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
      else if (event.index % 2 == 0)  // of a plain store that was found in memory nobody knows what it knew
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
  /// In modification order, of the write that the access made, or read.
  std::uint32_t place(const Event& access) const {
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

  /// The nearest event in program order (forwards or backwards) that is not at the same location.
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

  /// Events have the indices 2, 4, 6, ...; plain stores that were found in memory can only move them up.
  std::size_t place_in_thread(const Event& event) const {
    const auto& events = graph_.thread(event.thread).events;
    std::size_t at = event.index / 2 - (event.index % 2 == 0 ? 1 : 0);
    while (&graph_.event(events[at]) != &event) ++at;
    return at;
  }

  /// All accesses to the location but its init event, which is never on a psc path between SC events:
  /// nothing happens before it, and nothing is mo- or rb-before it.
  template <typename Predicate>
  bool any_access(const Location& location, Predicate holds) const {
    for (const auto& by : location.accessed_by)
      for (const auto& access : by.accesses)
        if (holds(graph_.event(access.event))) return true;
    return false;
  }

  const ExecutionGraph& graph_;
};

/// Where the fences before a read or write lead because of it, if it is before the writes from place `next` on.
class Ahead {
 public:
  Ahead(ExecutionGraph& graph, LocationId location, std::uint32_t next)
      : location_(location), next_(next), accesses_(graph.seq_cst_order.first_ahead) {
    accesses_.clear();
    // A thread's accesses stand for newer and newer writes.
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

  /// hb;scb or, to a fence, hb;eco;hb as well.
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
  base::ArenaVector<graph::SeqCstOrder::FirstAccess>& accesses_;  ///< each thread's first to those writes
};

/// `newest` is the last of its thread, or will be.
bool is_fence_before(const Event& fence, const Event& newest) {
  return fence.kind == EventKind::fence &&
         (fence.thread == newest.thread || (*newest.clock)[number(fence.thread)] >= fence.index);
}

/// Nothing leads out of a new event but what notice_for_psc() has noticed, so a new node only has edges in.
void add_newest_node(ExecutionGraph& graph, const Psc& psc) {
  const auto nodes = graph.seq_cst_events();
  auto& order = graph.seq_cst_order.reachability;
  const std::size_t node = order.size();
  const Event& event = graph.event(nodes[node]);
  order.add_node(graph.arena());
  for (std::size_t i = node; i-- > 0;)
    if (!order.leads(i, node) &&
        (graph.event(nodes[i]).thread == event.thread || psc.edge(graph.event(nodes[i]), event)))
      order.add_edge_to_newest(i);
}

/// Rc11::commit notes what fences know; without one there is nothing.
bool has_fences(const ExecutionGraph& graph) { return graph.seq_cst_knowledge.happened != base::VectorClock::empty(); }

/// From the fences before `event` to what is ahead of it. A thread's seq_cst events lead to one another, so that few of
/// these edges are to be added.
void add_edges_of_fences(const Event& event, ExecutionGraph& graph) {
  const auto nodes = graph.seq_cst_events();
  auto& order = graph.seq_cst_order.reachability;
  auto& ahead = graph.seq_cst_order.added;
  const Ahead leads(graph, event.location, graph.mo_position_of(event) + 1);
  ahead.clear(graph.arena(), nodes.size());
  for (std::size_t to = 0; to < nodes.size(); ++to) {
    const Event& target = graph.event(nodes[to]);
    if (order.leads(ahead, to) || target.thread == event.thread || !leads.leads_to(target)) continue;
    ahead.add(to);
    for (std::size_t from = nodes.size(); from-- > 0;) {
      const Event& fence = graph.event(nodes[from]);
      if (fence.kind == EventKind::fence && !order.leads(from, to) && happens_before(fence, event))
        order.add_edge(from, to);
    }
  }
}

void add_edges_out_of(const Event& event, ExecutionGraph& graph, const Psc& psc) {
  if (has_fences(graph)) add_edges_of_fences(event, graph);
  if (!is_seq_cst_event(event)) return;
  const auto nodes = graph.seq_cst_events();
  auto& order = graph.seq_cst_order.reachability;
  std::size_t itself = 0;
  while (&graph.event(nodes[itself]) != &event) ++itself;
  for (std::size_t to = 0; to < nodes.size(); ++to)
    if (to != itself && !order.leads(itself, to) && psc.edge(event, graph.event(nodes[to]))) order.add_edge(itself, to);
}

void build_anew(ExecutionGraph& graph, const Psc& psc) {
  const auto nodes = graph.seq_cst_events();
  auto& order = graph.seq_cst_order.reachability;
  order.forget();
  for (std::size_t i = 0; i < nodes.size(); ++i) order.add_node(graph.arena());
  for (std::size_t from = 0; from < nodes.size(); ++from)
    for (std::size_t to = 0; to < nodes.size(); ++to)
      if (from != to && !order.leads(from, to) && psc.edge(graph.event(nodes[from]), graph.event(nodes[to])))
        order.add_edge(from, to);
}

void bring_up_to_date(ExecutionGraph& graph) {
  const Psc psc(graph);
  graph::SeqCstOrder& order = graph.seq_cst_order;
  if (order.is_outdated) {
    build_anew(graph, psc);
  } else {
    while (order.reachability.size() < graph.seq_cst_events().size()) add_newest_node(graph, psc);
    for (const EventId id : order.placed_back) add_edges_out_of(graph.event(id), graph, psc);
  }
  order.is_outdated = false;
  order.placed_back.clear();
}

/// draft_closes_psc_cycle() for an event that is not seq_cst. All fences before it get the same edges.
bool fences_close_cycle(ExecutionGraph& graph, const Event& draft, std::uint32_t next) {
  graph::SeqCstOrder& order = graph.seq_cst_order;
  auto &fences = order.sources, &ahead = order.targets;
  const auto nodes = graph.seq_cst_events();
  if (!has_fences(graph)) return false;
  fences.clear(graph.arena(), nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (is_fence_before(graph.event(nodes[i]), draft)) fences.add(i);
  if (fences.empty()) return false;
  const Ahead leads(graph, draft.location, next);
  ahead.clear(graph.arena(), nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (leads.leads_to(graph.event(nodes[i]))) ahead.add(i);
  if (ahead.empty()) return false;
  if (fences.meets(ahead)) return true;
  bring_up_to_date(graph);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (fences.contains(i) && order.reachability.leads(ahead, i)) return true;
  return false;
}

/// The same for a seq_cst access, which is the newest event of the graph, but not a node of the order yet. A cycle goes
/// through an edge that a fence gets, or through the event itself. If through both, then also through one of them
/// alone: the fences before a write lead to it, and a load leads to nothing that the fences before it do not get edges
/// to.
bool access_closes_cycle(ExecutionGraph& graph, const Event& access, const Ahead& leads) {
  const bool has_fence = has_fences(graph);
  const auto& order = graph.seq_cst_order.reachability;
  auto &ahead_of_fences = graph.seq_cst_order.sources, &ahead = graph.seq_cst_order.targets;
  const auto nodes = graph.seq_cst_events().first(order.size());
  const Psc psc(graph);
  ahead_of_fences.clear(graph.arena(), nodes.size());
  ahead.clear(graph.arena(), nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Event& event = graph.event(nodes[i]);
    if (has_fence && leads.leads_to(event)) ahead_of_fences.add(i);
    if (psc.edge(access, event)) ahead.add(i);
  }
  if (ahead_of_fences.empty() && ahead.empty()) return false;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Event& event = graph.event(nodes[i]);
    if (has_fence && is_fence_before(event, access) && order.leads(ahead_of_fences, i)) return true;
    if (order.leads(ahead, i) && psc.edge(event, access)) return true;
  }
  return false;
}

}  // namespace

void notice_for_psc(ExecutionGraph& graph, EventId id) {
  const Event& event = graph.event(id);
  if (!accesses_memory(event.kind) || event.thread == graph::no_thread || !graph.has_seq_cst_events()) return;
  const Location& location = graph.location(event.location);
  if (graph.mo_position_of(event) + 1 != location.modification_order.size())
    graph.seq_cst_order.placed_back.push_back(graph.arena(), id);
  // A plain store that was found late may happen before events that are there. That makes edges for those who accessed
  // the location before it; what its own thread did happens before it, and has them.
  if (event.index % 2 != 0 && location.accessed_by.size() > 1) graph.seq_cst_order.is_outdated = true;
}

bool draft_closes_psc_cycle(ExecutionGraph& graph, const Event& draft, std::uint32_t next) {
  if (!is_seq_cst_event(draft)) return fences_close_cycle(graph, draft, next);
  bring_up_to_date(graph);
  const Ahead leads(graph, draft.location, next);
  const Event begun = graph.begun_event();  // the one that we are asked about, perhaps
  const EventId id = graph.append(draft, next);
  graph.event(id).clock = draft.clock;
  const bool closes = access_closes_cycle(graph, graph.event(id), leads);
  graph.retract_last();
  graph.begun_event() = begun;
  return closes;
}

}  // namespace heddle::models
