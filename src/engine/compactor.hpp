// Drops events from the execution graph that no thread can depend on any more, so that long executions need bounded
// memory (graph/forgetting.hpp). Also owns the arenas of the graph: compacting copies what is kept from one to the
// other.
#pragma once

#include <cstdint>

#include "base/arena.hpp"
#include "engine/operations/execution_policy.hpp"
#include "engine/threads/thread_table.hpp"
#include "graph/execution_graph.hpp"
#include "models/memory_model.hpp"

namespace heddle::engine {

class Atomics;
class EventLog;
class ObjectTable;
class Signals;

class Compactor {
 public:
  Compactor(graph::ExecutionGraph& graph, ThreadTable& threads, ObjectTable& objects, Atomics& atomics, EventLog& log,
            Signals& signals)
      : graph_(graph), threads_(threads), objects_(objects), atomics_(atomics), log_(log), signals_(signals) {}

  void configure(const ExecutionPolicy& policy, const models::MemoryModel& model);
  /// What an execution does with the events that it has in common with the one before it.
  enum class Kept : std::uint8_t { repeated, continued };
  /// Empties the graph. Or, if the execution begins like the one before it, cuts the graph back to the events before
  /// `kept_until`.
  void begin_execution(graph::EventId kept_until, Kept kept = Kept::repeated);

  /// The number of events from which on run() has something to do.
  std::size_t next_pass_at() const { return next_pass_at_; }
  /// Called between two operations of the current thread. Cuts the execution off if too much has to be kept.
  [[gnu::cold, gnu::noinline]] void run();

 private:
  base::Arena& arena(std::uint32_t which);
  const base::VectorClock* will_know(const ProgramThread& thread, int depth);

  graph::ExecutionGraph& graph_;
  ThreadTable& threads_;
  ObjectTable& objects_;
  Atomics& atomics_;
  EventLog& log_;
  Signals& signals_;
  bool compacts_ = false;
  std::size_t first_pass_at_ = 0;
  bool keeps_program_order_ = false;
  bool keeps_history_ = false;
  base::Arena arenas_[2];    // the second one for executions that are compacted
  base::Arena event_arena_;  // for events alone, in such executions
  std::uint32_t arena_in_use_ = 0;
  std::size_t next_pass_at_ = 0;
};

}  // namespace heddle::engine
