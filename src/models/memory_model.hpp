// A memory model decides which executions are possible.
//
// MemoryModel is the model itself: its properties and its axioms. One object serves many executions and keeps
// nothing between them. ModelState is what the model keeps for one execution. It answers, for the graph of that
// execution, what the next event may read and where the next write may go.
#pragma once

#include <cstdint>
#include <optional>

#include "base/arena.hpp"
#include "graph/execution_graph.hpp"
#include "graph/forgetting.hpp"
#include "models/descriptor.hpp"

namespace heddle::models {

/// The axiom that a whole-graph check found violated, by its name in the papers.
struct Violation {
  const char* axiom;
};

/// What a model keeps for one execution: views, caches, store buffers. A model without such needs adds no fields.
class ModelState {
 public:
  /// Appends to `out` what `read` may read from now, oldest first in modification order; at least one write. `read` is
  /// a load or rmw that is not in the graph yet. Called once per read. A compare-exchange asks twice, as the load and
  /// as the rmw that it may become, and keeps of each answer the writes with the fitting value.
  virtual void readable_writes(const graph::Event& read, base::ArenaVector<graph::EventId>& out) = 0;

  /// A position in modification order such that `read` may read every write from there on and no older one. An rmw must
  /// leave out the writes that another rmw reads (models/fitting_writes.hpp). Saves the list of readable_writes(),
  /// which may be long. `unknown`: the caller has to use readable_writes().
  static constexpr std::uint32_t unknown = ~std::uint32_t{0};
  virtual std::uint32_t readable_from(const graph::Event& read) {
    (void)read;
    return unknown;
  }

  /// Appends the positions in modification order where `write` may go now, oldest first; the last is always the newest
  /// position. `write` is a store that is not in the graph yet.
  virtual void mo_slots(const graph::Event& write, base::ArenaVector<std::uint32_t>& out) = 0;

  /// True: the newest position is the only one where the store `write` may go, so mo_slots() is not needed. False: the
  /// caller has to use mo_slots().
  virtual bool goes_last(const graph::Event& write) {
    (void)write;
    return false;
  }

  /// Called once per event, right after it was appended: sets its clock and updates the state.
  virtual void commit(graph::EventId event) = 0;

  /// True: for an event that is not seq_cst, commit() does nothing but models::synchronise() with C++20 release
  /// sequences. The caller may then call that directly, which saves a virtual call per event.
  bool commits_clocks_only() const { return commits_clocks_only_; }

  // ---- store buffers ------------------------------------------------------------------------------------------
  // A model may buffer stores. A buffered store is an event of the graph that is not in modification order yet
  // (graph::is_buffered), so other threads cannot read it. It reaches memory by an internal step of the model, which
  // the strategy chooses beside the steps of threads. The driver then calls graph.place() and left_buffer().

  /// True: the driver appends stores without a position in modification order, and commit() puts them into a buffer.
  bool buffers_stores() const { return buffers_stores_; }
  /// Appends the stores that may reach memory now, each by an internal step of its own. The order depends only on the
  /// execution so far.
  virtual void committable_stores(base::ArenaVector<graph::EventId>& out) { (void)out; }
  /// The next store that has to reach memory before `event` is executed; no_event: none. `event` is not in the graph
  /// yet. The driver asks again until there is none.
  virtual graph::EventId must_reach_memory_before(const graph::Event& event) {
    (void)event;
    return graph::no_event;
  }
  /// The next store that has to reach memory right after `event` was executed, before any other step; no_event: none.
  virtual graph::EventId must_reach_memory_after(const graph::Event& event) {
    (void)event;
    return graph::no_event;
  }
  /// The oldest buffered store of the thread, which may reach memory now; no_event: it has none.
  virtual graph::EventId oldest_store(graph::ThreadId thread) {
    (void)thread;
    return graph::no_event;
  }
  /// The store has reached memory: graph.place() gave it a position in modification order.
  virtual void left_buffer(graph::EventId store) { (void)store; }

  /// Called after graph.forget(). Updates the event ids that the state holds, and moves what the state keeps to the
  /// graph's new arena.
  virtual void forget(const graph::Renaming& renamed) { (void)renamed; }

  /// The state is new, and the graph was cut (ExecutionGraph::cut): brings the state to what commit() of the events
  /// that are left would have made. Returns false if the model cannot do that.
  virtual bool adopt_graph() { return false; }

  /// True: after graph.forget(), the state will offer fewer choices. The caller then forgets later.
  virtual bool needs_old_events() const { return false; }

  /// A hash of what restricts the rest of the execution and is not in the graph. Searches use it to recognise states.
  virtual std::uint64_t hash() const { return 0; }

 protected:
  explicit ModelState(graph::ExecutionGraph& graph) : graph_(graph) {}
  ~ModelState() = default;

  graph::ExecutionGraph& graph_;
  bool commits_clocks_only_ = false;
  bool buffers_stores_ = false;
};

class MemoryModel {
 public:
  /// Creates the state for an execution whose graph is empty. `arena` outlives the execution; the state keeps
  /// everything that grows in graph.arena().
  virtual ModelState& begin_execution(graph::ExecutionGraph& graph, base::Arena& arena) const = 0;

  /// The axioms, transcribed literally over the whole graph. Slow, and independent of the incremental functions of
  /// ModelState, which tests compare with it.
  virtual std::optional<Violation> check(const graph::ExecutionGraph& graph, base::Arena& scratch) const = 0;

  /// True: every later read of another thread sees a store at once (sc), so it matters when a store is executed. False:
  /// other threads may ignore the store, so a context switch before it adds no behaviour. Drivers pass this on in
  /// strategies::Choice.
  virtual bool stores_are_immediate() const { return false; }

  /// Whether graph.forget() may be called. False if the model looks at old events.
  virtual bool can_forget() const { return true; }

  /// The model for a search over graphs (exploration/). Its states offer every choice that the axioms allow for an
  /// event that is added last, whatever the order of execution. Null: there is none, because the axioms use more than
  /// po, rf and mo.
  virtual const MemoryModel* for_exploration() const { return this; }

 protected:
  ~MemoryModel() = default;
};

}  // namespace heddle::models
