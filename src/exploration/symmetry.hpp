// Symmetry of threads: two threads that run the same code with the same argument, created one after the other, are
// twins. Exchanging what they did turns an execution into another one that shows the same bugs; of such a pair the
// search needs one.
//
// It keeps the one in which the elder is ahead. As long as two twins did the same (read the same writes, wrote
// nothing), the younger one's event comes after the elder one's: that is an edge of porf, so no revisit can turn it
// round. The first time that they differ decides who is who: the elder one reads the older write, or writes first in
// modification order. An execution in which it is the other way round is inconsistent, and abandoned; unless the elder
// one's event leads to the younger one's by porf alone, which is as good a reason to be the elder.
//
// What TruSt asks of a consistency predicate holds for this one: it is closed under prefixes of porf (with the edges
// between twins), and an event that is added last and takes the newest write never violates it. Of every set of
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
  bool has_pairs() const { return has_pairs_; }

  /// Does the thread have to let its elder twin go first?
  bool waits_for_twin(const graph::ExecutionGraph& graph, graph::ThreadId thread) const;
  /// The position of what the elder twin did at this point, if the two did the same up to it.
  std::uint32_t twin_of(const Step& step, Steps before);
  /// The newest step has a twin. False: the wrong one of the two is the elder.
  bool follow(Steps steps, base::Arena& scratch);

 private:
  static constexpr std::uint32_t max_threads = 64;  // beyond that there are no twins
  struct Pair {
    graph::ThreadId elder = graph::no_thread;
    bool differ = false;  ///< in this run, so far
  };
  bool is_paired(graph::ThreadId thread) const {
    return number(thread) < max_threads && pairs_[number(thread)].elder != graph::no_thread &&
           !pairs_[number(thread)].differ;
  }

  Pair pairs_[max_threads];
  bool has_pairs_ = false;
};

}  // namespace heddle::exploration
