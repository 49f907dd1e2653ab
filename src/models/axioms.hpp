// The relations of the C/C++ models over a whole graph, built from their definitions and from nothing that
// the incremental code keeps (no clocks, no views). Names are those of the literature:
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
  /// Where an rmw is a read and a write, sb between the two makes mo;rf back to the read a cycle of hb;eco. Here
  /// it is one event, so that part of coherence has to be said by itself.
  bool no_rmw_reads_the_future() const { return (rf * mo).is_irreflexive(); }
  /// An rmw is one event here, so "rmw & (rb;mo) is empty" reads: rb;mo never leads back to the rmw.
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
