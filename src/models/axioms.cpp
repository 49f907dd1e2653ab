#include "models/axioms.hpp"

#include "models/c11.hpp"
#include "models/rc11.hpp"

namespace heddle::models {

using graph::Event;
using graph::EventKind;
using graph::ExecutionGraph;
using graph::Relation;

namespace {

bool is_atomic_write(const Event& e) { return writes(e.kind) && e.order != graph::MemoryOrder::plain; }
bool is_atomic_read(const Event& e) { return reads(e.kind) && e.order != graph::MemoryOrder::plain; }
bool is_fence(const Event& e) { return e.kind == EventKind::fence; }
bool is_rmw(const Event& e) { return e.kind == EventKind::rmw; }
bool is_access_or_fence(const Event& e) { return accesses_memory(e.kind) || is_fence(e); }

/// Program order; the initial values come before everything.
Relation program_order(const ExecutionGraph& graph, base::Arena& scratch) {
  const auto events = graph.events();
  Relation sb(scratch, events.size());
  return sb.fill([&](std::size_t a, std::size_t b) {
    if (events[a].thread == graph::no_thread) return events[b].thread != graph::no_thread;
    return events[a].thread == events[b].thread && events[a].index < events[b].index;
  });
}

Relation synchronised_objects(const ExecutionGraph& graph, base::Arena& scratch) {
  const auto events = graph.events();
  Relation asw(scratch, events.size());
  for (std::size_t b = 0; b < events.size(); ++b)
    for (graph::EventId a : events[b].synchronised) asw.add(number(a), b);
  return asw;
}

}  // namespace

Axioms::Axioms(const ExecutionGraph& g, base::Arena& arena, ReleaseSequence release_sequence)
    : graph(&g), scratch(&arena), size(g.events().size()), sb(program_order(g, arena)), same_location(arena, size),
      rf(arena, size), mo(arena, size), rb(arena, size), eco(arena, size), asw(synchronised_objects(g, arena)),
      rs(arena, size), sw(arena, size), hb(arena, size) {
  const auto events = g.events();
  same_location.fill([&](std::size_t a, std::size_t b) {
    return accesses_memory(events[a].kind) && accesses_memory(events[b].kind) &&
           events[a].location == events[b].location;
  });
  for (std::size_t r = 0; r < size; ++r)
    if (reads(events[r].kind)) rf.add(number(events[r].reads_from), r);
  for (const graph::Location& location : g.locations())
    for (std::size_t i = 0; i < location.modification_order.size(); ++i)
      for (std::size_t j = i + 1; j < location.modification_order.size(); ++j)
        mo.add(number(location.modification_order[i]), number(location.modification_order[j]));

  Relation identity = only([](const Event&) { return true; });
  rb = rf.inverse() * mo - identity;
  eco = (rf | mo | rb).plus();

  const Relation written = only([](const Event& e) { return writes(e.kind); });
  const Relation atomic_write = only(is_atomic_write);
  rs = atomic_write * (rf * only(is_rmw)).star();
  if (release_sequence == ReleaseSequence::c11)
    rs = written * (sb & same_location).maybe() * atomic_write * (rf * only(is_rmw)).star();
  const Relation fence_before = (only(is_fence) * sb).maybe();
  const Relation fence_after = (sb * only(is_fence)).maybe();
  const Relation releasing = only([](const Event& e) { return is_access_or_fence(e) && is_release(e.order); });
  const Relation acquiring = only([](const Event& e) { return is_access_or_fence(e) && is_acquire(e.order); });
  sw = releasing * fence_before * rs * rf * only(is_atomic_read) * fence_after * acquiring;
  hb = (sb | sw | asw).plus();
}

Relation Axioms::psc() const {
  const Relation seq_cst = only(graph::is_seq_cst_event);
  const Relation seq_cst_fence = only(graph::is_seq_cst_fence);
  const Relation sb_elsewhere = sb - same_location;
  const Relation scb = sb | sb_elsewhere * hb * sb_elsewhere | (hb & same_location) | mo | rb;
  const Relation psc_base = (seq_cst | seq_cst_fence * hb.maybe()) * scb * (seq_cst | hb.maybe() * seq_cst_fence);
  const Relation psc_fence = seq_cst_fence * (hb | hb * eco * hb) * seq_cst_fence;
  return psc_base | psc_fence;
}

std::optional<Violation> Rc11::check(const ExecutionGraph& graph, base::Arena& scratch) const {
  const Axioms a(graph, scratch, release_sequence_);
  if (!a.is_coherent()) return Violation{"rc11 coherence: irreflexive hb;eco?"};
  if (!a.is_atomic()) return Violation{"rc11 atomicity: rmw & (rb;mo) is empty"};
  if (!a.psc().is_acyclic()) return Violation{"rc11 SC: acyclic psc"};
  if (!a.has_no_thin_air()) return Violation{"rc11 no thin air: acyclic sb | rf"};
  return std::nullopt;
}

std::optional<Violation> C11::check(const ExecutionGraph& graph, base::Arena& scratch) const {
  const Axioms a(graph, scratch, release_sequence_);
  const auto events = graph.events();
  Relation sc(scratch, a.size);  // SC is the order of execution
  sc.fill([&](std::size_t x, std::size_t y) {
    return x < y && graph::is_seq_cst_event(events[x]) && graph::is_seq_cst_event(events[y]);
  });
  const Relation visible = (a.hb | sc).plus();
  if (!(visible * a.eco.maybe()).is_irreflexive() || !a.no_rmw_reads_the_future())
    return Violation{"c11 coherence: irreflexive (hb | SC)+;eco?"};
  if (!a.is_atomic()) return Violation{"c11 atomicity: fr;mo is irreflexive"};
  if (!(a.mo * sc).is_irreflexive()) return Violation{"c11 irrMOSC: irreflexive mo;SC"};
  if (!(a.hb | a.rf | sc).is_acyclic()) return Violation{"c11 SC: acyclic hb | rf | SC"};
  return std::nullopt;
}

}  // namespace heddle::models
