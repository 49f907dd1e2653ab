// Symmetry (strategies::SearchBounds::symmetry): threads with the same function and argument that were created one
// right after the other are twins. Of executions that differ only in which twin did what, the search visits one.
#pragma once

#include "engine/isolation/heap.hpp"
#include "engine/scheduling/decider.hpp"
#include "engine/threads/execution_end.hpp"
#include "engine/threads/thread_table.hpp"
#include "graph/execution_graph.hpp"

namespace heddle::engine {

class TwinThreads {
 public:
  TwinThreads(const graph::ExecutionGraph& graph, const Heap& heap, ThreadTable& threads, Decider& decider,
              ExecutionEnd& end)
      : graph_(graph), heap_(heap), threads_(threads), decider_(decider), end_(end) {}

  /// The current thread is creating `thread`: finds its twin, and tells the strategy.
  void find_twin(ProgramThread& thread);
  /// The current thread has joined `thread`.
  void remember_joined_twin(const ProgramThread& thread);
  /// The current thread is about to act. If it has joined some of several twins, it could tell them apart: then the
  /// program is refused.
  void refuse_to_tell_apart(graph::EventKind kind);

 private:
  const graph::ExecutionGraph& graph_;
  const Heap& heap_;
  ThreadTable& threads_;
  Decider& decider_;
  ExecutionEnd& end_;
};

}  // namespace heddle::engine
