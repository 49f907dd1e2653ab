// Parking when executions are sampled: see parking.hpp.
//
// A parked thread is offered again when a value that its loop reads has changed, when the other threads have made a
// bounded number of steps, and when no other thread can continue. The latter two happen because the thread may merely
// seem to wait: its loop may count, or make progress in the kernel, in the C library or in plain memory. Each time that
// none of them made progress, the thread gets more reads before its loop is recognised again. So a loop that comes to
// an end by itself gets there.
//
// If only parked threads are left, for several rounds, their local states are compared (ClosedLoop). If each of them
// returns to the same state for ever, the execution is livelocked.
#pragma once

#include "engine/scheduling/dice.hpp"
#include "engine/scheduling/parking.hpp"
#include "engine/threads/local_state.hpp"
#include "engine/threads/thread_table.hpp"
#include "graph/execution_graph.hpp"

namespace heddle::engine {

class PlainMemory;
class Scheduler;

class SpinParking final : public Parking {
 public:
  SpinParking(const graph::ExecutionGraph& graph, ThreadTable& threads, Scheduler& scheduler, PlainMemory& plain,
              LocalState& local_state, Dice& dice)
      : graph_(graph), threads_(threads), scheduler_(scheduler), plain_(plain), local_state_(local_state), dice_(dice) {
  }

  void begin_execution() override;
  void inspect(ProgramThread& self) override;
  void count_step() override;
  void wrote(graph::LocationId location) override;
  void unpark(ProgramThread& thread) override { release(thread); }
  bool release_before_time_passes() override;
  bool resolve_stuck() override;

 private:
  /// Has one of the locations that the thread's loop reads got a newer write with another value?
  bool has_news(const ProgramThread& thread) const;
  void park(ProgramThread& thread);
  void release(ProgramThread& thread);
  void release_all();
  void compare_local_states(bool compare);
  bool all_parked_threads(bool (ClosedLoop::*wait)() const);

  const graph::ExecutionGraph& graph_;
  ThreadTable& threads_;
  Scheduler& scheduler_;
  PlainMemory& plain_;
  LocalState& local_state_;
  Dice& dice_;
  std::uint64_t steps_ = 0;         ///< of all threads, while threads were parked
  std::uint64_t next_release_ = 0;  ///< the number of steps at which the next parked thread runs again
  bool compares_local_states_ = false;
};

}  // namespace heddle::engine
