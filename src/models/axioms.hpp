// The relations of the memory models over a whole graph, built from their definitions. They use nothing that the
// incremental code keeps: no clocks, no views, no caches. Names are those of the literature:
//   sb program order · rf reads-from · mo modification order · rb = rf^-1;mo \ id · eco = (rf | mo | rb)+
//   asw  edges of thread creation, join and synchronisation objects
//   rs   release sequence · sw synchronises-with · hb = (sb | sw | asw)+
#pragma once

#include "graph/execution_graph.hpp"
#include "graph/relation.hpp"
#include "models/memory_model.hpp"

namespace heddle::models {

struct Axioms {
  Axioms(const graph::ExecutionGraph& graph, base::Arena& scratch, ReleaseSequence release_sequence);

  /// [S] for a set of events given by a predicate on Event.
  template <typename Predicate>
  graph::Relation only(Predicate member) const {
    graph::Relation result(*scratch, size);
    for (std::size_t e = 0; e < size; ++e)
      if (member(graph->events()[e])) result.add(e, e);
    return result;
  }

  /// irreflexive hb;eco?
  bool is_coherent() const { return (hb * eco.maybe()).is_irreflexive() && no_rmw_reads_the_future(); }
  /// If an rmw is two events, sb from its read to its write makes mo;rf back to the read a cycle of hb;eco. Here an rmw
  /// is one event, so this part of coherence is stated separately.
  bool no_rmw_reads_the_future() const { return (rf * mo).is_irreflexive(); }
  /// rmw & (rb;mo) is empty. Since an rmw is one event here: rb;mo never leads from an rmw back to itself.
  bool is_atomic() const { return (rb * mo).is_irreflexive(); }
  bool has_no_thin_air() const { return (sb | asw | rf).is_acyclic(); }
  /// psc_base | psc_f
  graph::Relation psc() const;

  const graph::ExecutionGraph* graph;
  base::Arena* scratch;
  std::size_t size;
  graph::Relation sb, same_location, rf, mo, rb, eco, asw, rs, sw, hb;
};

}  // namespace heddle::models
