// Drops events from the execution graph that no thread can depend on any more, so that long executions need bounded
// memory (graph/forgetting.hpp).
#pragma once

#include <cstdint>

#include "base/arena.hpp"
#include "engine/memory/graph_storage.hpp"
#include "engine/operations/execution_policy.hpp"
#include "engine/scheduling/compaction.hpp"
#include "engine/threads/thread_table.hpp"
#include "graph/execution_graph.hpp"
#include "models/memory_model.hpp"

namespace heddle::engine {

class Atomics;
class EventLog;
class ObjectTable;
class Signals;

class Compactor final : public Compaction {
 public:
  Compactor(graph::ExecutionGraph& graph, GraphStorage& storage, ThreadTable& threads, ObjectTable& objects,
            Atomics& atomics, EventLog& log, Signals& signals)
      : graph_(graph), storage_(storage), threads_(threads), objects_(objects), atomics_(atomics), log_(log),
        signals_(signals) {}

  void configure(const ExecutionPolicy& policy, const models::MemoryModel& model);
  void begin_execution() { next_pass_at_ = compacts_ ? first_pass_at_ : ~std::size_t{0}; }
  [[gnu::cold, gnu::noinline]] void run() override;

 private:
  const base::VectorClock* will_know(const ProgramThread& thread, int depth);

  graph::ExecutionGraph& graph_;
  GraphStorage& storage_;
  ThreadTable& threads_;
  ObjectTable& objects_;
  Atomics& atomics_;
  EventLog& log_;
  Signals& signals_;
  bool compacts_ = false;
  std::size_t first_pass_at_ = 0;
};

}  // namespace heddle::engine
