// RC11's seq_cst axiom: psc is acyclic (Lahav et al., PLDI 2017). SeqCstOrder keeps the transitive closure of psc over
// the seq_cst events of an execution. It is brought up to date when a question needs it.
//
// psc only grows. An event that is added last, and that is the newest in modification order or reads the newest write,
// has no psc edge out: if it is seq_cst it only has edges in. An event that is placed further back, such as a stale
// read, has edges to what is ahead of it: from itself if it is seq_cst, and from all seq_cst fences that happen before
// it.
#pragma once

#include "base/reachability.hpp"
#include "graph/execution_graph.hpp"

namespace heddle::models {

class SeqCstOrder {
 public:
  explicit SeqCstOrder(graph::ExecutionGraph& graph) : graph_(graph) {}

  /// The seq_cst events so far, in order of execution. They are the nodes of psc.
  std::span<const graph::EventId> events() const { return events_.span(); }
  /// Everything that happens before some seq_cst fence, and these fences.
  const base::VectorClock& before_fences() const { return *before_fences_; }

  /// Called for every event from the first seq_cst event on, after the event was appended and its clock was set.
  /// `is_placed_back` is what the function below returned right after the event was appended.
  void add(graph::EventId id, bool is_placed_back);
  /// The event, the newest of the graph, is not the newest of its location, and reads no newest write.
  static bool is_placed_back(const graph::ExecutionGraph& graph, const graph::Event& event);
  /// Whether `draft` would close a cycle in psc if it were added before the writes from position `next` of the
  /// modification order on. Its thread, location, values, reads_from and clock are set. Exact.
  bool closes_cycle(const graph::Event& draft, std::uint32_t next);
  /// Drops everything but before_fences(): after forgetting, the search is not made any more.
  void forget(base::Arena& to);

 private:
  class Edges;
  class Ahead;
  struct FirstAccess {
    graph::ThreadId thread;
    std::uint32_t index;
  };

  bool has_fences() const { return before_fences_ != base::VectorClock::empty(); }
  bool was_accessed_before(const graph::Location& location, graph::EventId id) const;
  void bring_up_to_date();
  void build_anew();
  void add_newest_node();
  void add_edges_out_of(const graph::Event& event);
  void add_edges_of_fences(const graph::Event& event);
  bool fences_close_cycle(const graph::Event& draft, std::uint32_t next);
  bool access_closes_cycle(const graph::Event& access, const Ahead& leads);

  graph::ExecutionGraph& graph_;
  base::ArenaVector<graph::EventId> events_;
  const base::VectorClock* before_fences_ = base::VectorClock::empty();
  base::Reachability reachability_;                ///< over the first of events_
  base::ArenaVector<graph::EventId> placed_back_;  ///< events whose edges out are not in reachability_ yet
  bool is_outdated_ = false;                       ///< reachability_ must be built anew
  // Scratch of one question; members so that their storage is reused.
  base::Reachability::Set sources_, targets_, added_;
  base::ArenaVector<FirstAccess> first_ahead_;
};

}  // namespace heddle::models
