// Performs steps of synchronisation primitives directly on the state of the object (sync_executor.hpp). The thread that
// comes first gets the object; the events that it records name the releases that they synchronise with.
#pragma once

#include "engine/memory/atomics.hpp"
#include "engine/operations/sync_executor.hpp"
#include "engine/scheduling/event_log.hpp"
#include "engine/scheduling/scheduler.hpp"

namespace heddle::engine {

class DirectExecutor final : public SyncExecutor {
 public:
  DirectExecutor(base::Arena& execution_arena, const graph::ExecutionGraph& graph, ThreadTable& threads,
                 Scheduler& scheduler, EventLog& log, Atomics& atomics)
      : execution_arena_(execution_arena), graph_(graph), threads_(threads), scheduler_(scheduler), log_(log),
        atomics_(atomics) {}

  /// Whether waits of this execution may be over for no reason.
  void begin_execution(bool wakes_spuriously) { wakes_spuriously_ = wakes_spuriously; }

  void begin_call(SyncObject& object, const Step& step, std::uint64_t site) override;
  StepResult perform(SyncObject& object, const Rule& rule, std::uint64_t site) override;
  StepResult wait_and_perform(SyncObject& object, const Rule& rule, std::uint64_t site, Deadline deadline) override;
  bool draws_spurious_wake_up(const SyncObject& object, std::uint64_t site) override;
  bool sleep(SyncObject& object, const Step& wake_up, bool may_wake_spuriously, std::uint64_t site,
             Deadline deadline) override;
  std::uint32_t wake(SyncObject& object, std::uint32_t count, const Step& one, const Step& all,
                     std::uint64_t site) override;
  bool is_serial(BarrierRound&, bool arrived_last) override { return arrived_last; }
  void add_leave(SyncObject&, BarrierRound&, graph::EventId) override {}
  void add_arrival(BarrierRound& round, graph::EventId arrival, std::uint64_t) override {
    round.arrivals.add(graph_, execution_arena_, arrival);
  }
  void kernel_barrier(std::uint64_t site) override;
  std::uint32_t read_futex(const SyncObject& futex, std::uint64_t site) override;

 private:
  graph::EventId record(SyncObject& object, const Step& step, bool has_barrier, std::uint64_t site);
  void publish(SyncObject& object, Publishes how, graph::EventId event);

  base::Arena& execution_arena_;
  const graph::ExecutionGraph& graph_;
  ThreadTable& threads_;
  Scheduler& scheduler_;
  EventLog& log_;
  Atomics& atomics_;
  bool wakes_spuriously_ = true;
};

}  // namespace heddle::engine
