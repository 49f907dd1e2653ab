// Where the execution graph is kept. Every execution begins with an empty graph, or, if a search repeats the first
// steps of the execution before, with what that one has left, cut back. Compaction (engine/compactor.hpp) copies what
// it keeps of a graph from one arena to the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/arena.hpp"
#include "engine/operations/execution_policy.hpp"
#include "graph/execution_graph.hpp"

namespace heddle::engine {

class GraphStorage {
 public:
  explicit GraphStorage(graph::ExecutionGraph& graph) : graph_(graph) {}

  void configure(const ExecutionPolicy& policy);
  /// What an execution does with the events that it has in common with the one before it.
  enum class Kept : std::uint8_t { repeated, continued };
  /// Empties the graph. Or, if the execution begins like the one before it, cuts the graph back to the events before
  /// `kept_until`.
  void begin_execution(graph::EventId kept_until, Kept kept);

  /// The arena, empty, that the graph is copied to. It is in use from now on.
  base::Arena& next_arena();
  /// For events alone, in executions that are compacted.
  base::Arena& event_arena();

 private:
  base::Arena& arena(std::uint32_t which);

  graph::ExecutionGraph& graph_;
  bool keeps_program_order_ = false;
  bool keeps_history_ = false;
  base::Arena arenas_[2];  // the second one for executions that are compacted
  base::Arena event_arena_;
  std::uint32_t arena_in_use_ = 0;
};

}  // namespace heddle::engine
