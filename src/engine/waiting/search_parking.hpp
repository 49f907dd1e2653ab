// Parking under a search: see parking.hpp. Also enforces the search's bound on loops.
#pragma once

#include "engine/operations/execution_policy.hpp"
#include "engine/scheduling/decider.hpp"
#include "engine/scheduling/execution_parts.hpp"
#include "engine/scheduling/parking.hpp"
#include "engine/scheduling/twin_threads.hpp"
#include "engine/threads/call_stacks.hpp"
#include "engine/threads/execution_end.hpp"
#include "engine/threads/local_state.hpp"
#include "engine/threads/thread_table.hpp"
#include "engine/waiting/retry_loops.hpp"
#include "engine/waiting/undoing_loops.hpp"
#include "graph/execution_graph.hpp"

namespace heddle::engine {

class FindingSink;
class Scheduler;
class ExecutionObserver;

class SearchParking final : public Parking, public strategies::WaitingSteps {
 public:
  SearchParking(const ExecutionParts& execution, const ProgramParts& program, Scheduler& scheduler,
                LocalState& local_state, RetryLoops& retry_loops, UndoingLoops& undoing_loops, TwinThreads& twins)
      : execution_arena_(execution.arena), graph_(execution.graph), threads_(execution.threads), scheduler_(scheduler),
        decider_(execution.decider), stacks_(program.stacks), local_state_(local_state), retry_loops_(retry_loops),
        undoing_loops_(undoing_loops), twins_(twins), findings_(execution.findings), observer_(execution.observer),
        end_(execution.end) {}

  void configure(const strategies::SearchBounds& bounds) {
    bounds_ = bounds;
    has_met_bound_ = false;
    undoing_loops_.enable(bounds.undone == 0);
  }

  void begin_execution() override;
  void inspect(ProgramThread& self) override;
  void mark_waiting(std::span<const strategies::Option> enabled) override;
  void count_step() override;
  bool resolve_stuck() override;
  bool waits_in(graph::ThreadId thread, graph::Value state) const override;
  bool is_step(graph::ThreadId thread) const override;

  /// After an execution: whether what waiting_rounds.hpp demands holds in it.
  bool is_exact();

  /// Whether an execution ended, since configure(), in which a time-out would have been next, but for the bound on
  /// their number (SearchBounds::spurious).
  bool has_met_bound() const { return has_met_bound_; }

 private:
  /// What becomes of a thread that is about to perform its pending operation.
  enum class Verdict : std::uint8_t {
    proceed,
    park,  ///< it waits for another value: WaitingLoop, RetryLoops. It continues if it polls volatile memory, or to
           ///< confirm a livelock
    stop,  ///< to the end of the execution: UndoingLoops
  };
  Verdict verdict_on(ProgramThread& self);
  Verdict verdict_on_poll(ProgramThread& thread);
  Verdict verdict_on_lock(ProgramThread& thread);
  Verdict verdict_on_read(ProgramThread& thread);
  Verdict verdict_after_round(ProgramThread& thread);
  bool is_confirmed(ProgramThread& thread) const;
  void apply(Verdict verdict, ProgramThread& thread);

  void count_visit(ProgramThread& thread);
  void release_polling(ProgramThread& thread);
  bool release_after_news();
  const graph::ExecutionGraph::DriverNote* driver_note_of(const ProgramThread& thread) const;
  bool begin_confirming();
  [[noreturn]] void report_unseen_progress(const ProgramThread& thread);
  bool would_wait(const ProgramThread& thread) const;
  bool could_go_on_elsewhere(const ProgramThread& thread) const;
  bool is_blocked_by_old_value(const ProgramThread& thread) const;

  base::Arena& execution_arena_;
  const graph::ExecutionGraph& graph_;
  ThreadTable& threads_;
  Scheduler& scheduler_;
  Decider& decider_;
  CallStackTree& stacks_;
  LocalState& local_state_;
  RetryLoops& retry_loops_;
  UndoingLoops& undoing_loops_;
  TwinThreads& twins_;
  FindingSink& findings_;
  ExecutionObserver& observer_;
  ExecutionEnd& end_;
  strategies::SearchBounds bounds_;
  bool has_met_bound_ = false;
  bool has_round_with_writes_ = false;
  bool is_confirming_ = false;  ///< no thread is left but those that seem to wait
};

}  // namespace heddle::engine
