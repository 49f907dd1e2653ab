// What a memory model decides. One model object serves many executions; it keeps no state between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/arena.hpp"
#include "graph/execution_graph.hpp"

namespace heddle::models {

/// The axiom that a whole-graph check found broken, by its name in the papers.
struct Violation {
  const char* axiom;
};

/// Which later writes continue a release sequence besides read-modify-writes.
enum class ReleaseSequence : std::uint8_t {
  cpp20,  ///< none
  c11,    ///< stores of the releasing thread to the same location
};

class MemoryModel {
 public:
  /// Appends to `out` what `read` (a load or rmw that is not yet in the graph) may read from now, oldest
  /// first in modification order. There is always at least one. Called once per read, before it is
  /// appended; a compare-exchange asks twice, as the load and as the rmw it may become, and keeps of each
  /// answer the writes with the fitting value.
  virtual void readable_writes(graph::ExecutionGraph& graph, const graph::Event& read,
                               base::ArenaVector<graph::EventId>& out) const = 0;

  /// Where `read` may read every write from some place in modification order on and nothing older: that place. An rmw
  /// must leave out those that another one reads (models/fitting_writes.hpp). Spares the list, which may be very long.
  /// `unknown`: ask readable_writes.
  static constexpr std::uint32_t unknown = ~std::uint32_t{0};
  virtual std::uint32_t readable_from(graph::ExecutionGraph& graph, const graph::Event& read) const {
    (void)graph;
    (void)read;
    return unknown;
  }

  /// May `write`, a store, go nowhere but to the newest place? Spares mo_slots. False: ask there.
  virtual bool goes_last(graph::ExecutionGraph& graph, const graph::Event& write) const {
    (void)graph;
    (void)write;
    return false;
  }

  /// Appends the places in modification order where `write` (a store that is not yet in the graph) may go
  /// now, oldest first; the last is always the newest place.
  virtual void mo_slots(graph::ExecutionGraph& graph, const graph::Event& write,
                        base::ArenaVector<std::uint32_t>& out) const = 0;

  /// Called once per event right after it was appended: sets its clock and updates what its thread knows.
  virtual void commit(graph::ExecutionGraph& graph, graph::EventId event) const = 0;

  /// Does commit() do nothing but models::synchronise() with C++20's release sequences, as long as the graph has no
  /// seq_cst events? Then drivers may do that themselves.
  virtual bool commits_clocks_only() const { return false; }

  /// The axioms, transcribed literally over the whole graph: slow, independent of the incremental path,
  /// and the oracle that the incremental path must always agree with.
  virtual std::optional<Violation> check(const graph::ExecutionGraph& graph, base::Arena& scratch) const = 0;

  /// Does every later read see a store at once (sc)? Then it matters when a store happens; otherwise a thread that
  /// has not heard of it may go on without it, and other moments add nothing. Drivers pass it on in
  /// strategies::Choice.
  virtual bool stores_are_immediate() const { return false; }

  /// May old events be forgotten (graph/forgetting.hpp)? Not if the model goes through them.
  virtual bool can_forget() const { return true; }

  /// The same model for a search over graphs (exploration/): its readable_writes and mo_slots are all that the
  /// axioms allow for an event that comes last, whatever the order in which the events were executed. Null: there
  /// is none, because the axioms speak of more than po, rf and mo.
  virtual const MemoryModel* for_exploration() const { return this; }

  virtual const char* name() const = 0;

 protected:
  ~MemoryModel() = default;
};

struct ModelOptions {
  ReleaseSequence release_sequence = ReleaseSequence::cpp20;
};

/// The model with this name, made in `arena`; null if there is none.
const MemoryModel* make_model(std::string_view name, const ModelOptions& options, base::Arena& arena);
/// "rc11, c11, sc": for messages.
const char* model_names();

}  // namespace heddle::models
