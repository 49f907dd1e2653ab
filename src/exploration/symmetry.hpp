// Symmetry of threads. Two threads that were created one after the other and run the same code with the same argument
// are twins. Exchanging their roles turns an execution into another one that shows the same bugs, so the search visits
// only one of the two.
//
// It visits the execution in which the elder twin is ahead. As long as the twins did the same (read the same writes,
// wrote nothing), the younger twin's event comes after the elder's: that is an edge of porf, so no revisit can reverse
// it. Where they first differ, the elder twin must read the older write, or write first in modification order.
// Otherwise the execution counts as inconsistent and is abandoned, unless porf alone leads from the elder twin's event
// to the younger's.
//
// This predicate has the properties that TruSt requires of consistency. It is closed under prefixes of porf (with the
// edges between twins), and an event that is added last and takes the newest write never violates it. Of every set of
// executions that differ in the order of twins one survives: order the twins by porf, then exchange neighbours that
// porf does not order and whose first difference is the wrong way round, as in bubble sort.
#pragma once

#include "base/arena.hpp"
#include "exploration/step.hpp"
#include "graph/execution_graph.hpp"

namespace heddle::exploration {

class Symmetry {
 public:
  void set_twin(graph::ThreadId thread, graph::ThreadId twin);
  void begin_run();
  /// Whether there are twins in this run so far. What other runs had must not matter: they may be another process's.
  bool has_pairs() const { return run_has_pairs_; }

  /// Whether the thread has to wait until its elder twin has executed its next event.
  bool waits_for_twin(const graph::ExecutionGraph& graph, graph::ThreadId thread) const;
  /// The position of the elder twin's event at this point, if the two did the same before it. Otherwise `initial`.
  std::uint32_t twin_of(const Step& step, Steps before);
  /// Called if the newest step has a twin. False: the twins are in the wrong order.
  bool follow(Steps steps, base::Arena& scratch);

 private:
  static constexpr std::uint32_t max_threads = 64;  // threads with higher numbers have no twins
  struct Pair {
    graph::ThreadId elder = graph::no_thread;
    bool differ = false;  ///< in this run, so far
  };
  bool is_paired(graph::ThreadId thread) const {
    return number(thread) < max_threads && pairs_[number(thread)].elder != graph::no_thread &&
           !pairs_[number(thread)].differ;
  }

  Pair pairs_[max_threads];
  bool has_pairs_ = false;      ///< in some run
  bool run_has_pairs_ = false;  ///< in this run
};

}  // namespace heddle::exploration
