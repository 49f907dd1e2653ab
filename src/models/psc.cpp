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

namespace {

class Psc {
 public:
  explicit Psc(const ExecutionGraph& graph) : graph_(graph) {}

  bool edge(const Event& a, const Event& b) const {
    const bool from_fence = a.kind == EventKind::fence;
    const bool to_fence = b.kind == EventKind::fence;
    if (from_fence && to_fence) return fence_to_fence(a, b);
    if (from_fence) return fence_to_access(a, b);
    if (to_fence) return access_to_fence(a, b);
    return access_to_access(a, b);
  }

  /// The edge that a seq_cst fence before x gets to b, because of x: hb;scb or, to a fence, hb;eco;hb as well. Nothing
  /// happens after x.
  bool edge_through(const Event& x, const Event& b) const {
    if (!accesses_memory(x.kind)) return false;
    if (b.kind != EventKind::fence) return b.location == x.location && mo_or_rb(x, b);
    return any_access(graph_.location(x.location), [&](const Event& y) { return eco(x, y) && happens_before(y, b); });
  }

  /// The same for an access to `location` that is not in the graph, and would come before the writes from `next` on.
  bool edge_through(const Location& location, std::uint32_t next, const Event& b) const {
    if (b.kind != EventKind::fence)
      return writes(b.kind) && &graph_.location(b.location) == &location && b.mo_position >= next;
    for (const auto& by : location.accessed_by)
      if (const Event* y = last_before(by, b); y != nullptr && place(*y) >= next) return true;
    return false;
  }

 private:
  // [F];hb;[F] and [F];hb;eco;hb;[F]; the psc_base paths between fences are among them.
  bool fence_to_fence(const Event& a, const Event& b) const {
    if (happens_before(a, b)) return true;
    const auto id = static_cast<std::size_t>(&a - graph_.events().data());
    for (const Location& location : graph_.locations())
      if (number(location.newest_access) > id && eco_between(a, location, b)) return true;
    return false;
  }

  // hb;eco;hb through one location. eco goes from x to y if the write of x (its own, or that it reads) is older in
  // modification order than the write of y, or if y is a load that reads from x. So the oldest write that an access
  // after a stands for, and the newest that an access before b stands for, decide. A thread's accesses stand for newer
  // and newer writes (coherence), and know more and more: its first after a and its last before b are enough.
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

  // [SC];scb;[SC]
  bool access_to_access(const Event& a, const Event& b) const {
    if (a.thread == b.thread && a.index < b.index) return true;
    if (a.location == b.location && (happens_before(a, b) || mo_or_rb(a, b))) return true;
    const Event* c = first_elsewhere(a, +1);
    const Event* d = first_elsewhere(b, -1);
    return c != nullptr && d != nullptr && happens_before(*c, *d);
  }

  bool mo_or_rb(const Event& x, const Event& y) const {
    if (!writes(y.kind) || &x == &y) return false;
    const std::uint32_t from = x.kind == EventKind::load ? graph_.mo_position_of(x) : x.mo_position;
    return from < y.mo_position;
  }

  /// (rf | mo | rb)+ between two accesses to one location.
  bool eco(const Event& x, const Event& y) const {
    if (&x == &y) return false;
    if (writes(y.kind) && mo_or_rb(x, y)) return true;
    if (!reads(y.kind)) return false;
    const Event& source = graph_.event(y.reads_from);
    if (writes(x.kind)) return &source == &x || source.mo_position > x.mo_position;
    return source.mo_position > graph_.mo_position_of(x);
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

}  // namespace

namespace {

/// Nodes of psc, by their numbers.
using Nodes = base::ArenaVector<std::uint8_t>;

/// Is there a path from a node of `from` to one of `to`, possibly without an edge?
bool leads_to(const ExecutionGraph& graph, const Psc& psc, const Nodes& from, const Nodes& to) {
  const auto nodes = graph.seq_cst_events();
  Nodes reached;
  base::ArenaVector<std::uint32_t> pending;
  reached.resize(graph.arena(), nodes.size());
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    if (from[i] == 0) continue;
    if (to[i] != 0) return true;
    reached[i] = 1;
    pending.push_back(graph.arena(), i);
  }
  while (!pending.empty()) {
    const Event& at = graph.event(nodes[pending.back()]);
    pending.pop_back();
    for (std::uint32_t next = 0; next < nodes.size(); ++next) {
      if (reached[next] != 0 || !psc.edge(at, graph.event(nodes[next]))) continue;
      if (to[next] != 0) return true;
      reached[next] = 1;
      pending.push_back(graph.arena(), next);
    }
  }
  return false;
}

}  // namespace

bool draft_closes_psc_cycle(const ExecutionGraph& graph, const Event& draft, std::uint32_t next) {
  const auto nodes = graph.seq_cst_events();
  const Psc psc(graph);
  const Location& location = graph.location(draft.location);
  Nodes fences, behind;
  bool has_fence = false, leads_behind = false;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Event& event = graph.event(nodes[i]);
    const bool is_source = event.kind == EventKind::fence &&
                           (event.thread == draft.thread || (*draft.clock)[number(event.thread)] >= event.index);
    fences.push_back(graph.arena(), is_source);
    has_fence |= is_source;
  }
  if (!has_fence) return false;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const bool is_target = psc.edge_through(location, next, graph.event(nodes[i]));
    if (is_target && fences[i] != 0) return true;
    behind.push_back(graph.arena(), is_target);
    leads_behind |= is_target;
  }
  return leads_behind && leads_to(graph, psc, behind, fences);
}

// A cycle must use an edge that the newest event made. Such an edge starts at the event itself, if it is seq_cst, or at
// a seq_cst fence that happens before it; all these fences get the same edges, to whatever the newest event leads to.
bool newest_event_closes_psc_cycle(const ExecutionGraph& graph) {
  const auto nodes = graph.seq_cst_events();
  const Event& newest = graph.events().back();
  const Psc psc(graph);
  Nodes fences, itself, behind_fences, behind_itself;
  for (Nodes* set : {&fences, &itself, &behind_fences, &behind_itself}) set->resize(graph.arena(), nodes.size());
  bool has_fence = false, is_node = false;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Event& event = graph.event(nodes[i]);
    itself[i] = &event == &newest;
    fences[i] = event.kind == EventKind::fence && itself[i] == 0 && happens_before(event, newest);
    has_fence |= fences[i] != 0;
    is_node |= itself[i] != 0;
  }
  bool leads_behind_fences = false, leads_behind_itself = false;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Event& event = graph.event(nodes[i]);
    if (&event == &newest) continue;
    behind_fences[i] = has_fence && psc.edge_through(newest, event);
    behind_itself[i] = is_node && psc.edge(newest, event);
    leads_behind_fences |= behind_fences[i] != 0;
    leads_behind_itself |= behind_itself[i] != 0;
  }
  return (leads_behind_fences && leads_to(graph, psc, behind_fences, fences)) ||
         (leads_behind_itself && leads_to(graph, psc, behind_itself, itself));
}

}  // namespace heddle::models
