// Parking when executions are sampled: see parking.hpp.
#pragma once

#include "engine/dice.hpp"
#include "engine/parking.hpp"
#include "engine/thread_table.hpp"
#include "graph/execution_graph.hpp"

namespace heddle::engine {

class Scheduler;

class SpinParking final : public Parking {
 public:
  SpinParking(const graph::ExecutionGraph& graph, ThreadTable& threads, Scheduler& scheduler, Dice& dice)
      : graph_(graph), threads_(threads), scheduler_(scheduler), dice_(dice) {}

  void inspect(ProgramThread& self) override;
  void wrote(graph::LocationId location) override;
  bool resolve_stuck() override;

 private:
  /// Has one of the locations that the thread's loop reads got a newer write with another value?
  bool has_news(const ProgramThread& thread) const;

  const graph::ExecutionGraph& graph_;
  ThreadTable& threads_;
  Scheduler& scheduler_;
  Dice& dice_;
};

}  // namespace heddle::engine
