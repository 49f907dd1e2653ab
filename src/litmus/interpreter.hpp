// Runs a litmus test as executions on the core: the second driver beside the fiber engine. No compiler, no
// fibers: a thread is a program counter and registers. Plain accesses are events like the others, with
// MemoryOrder::plain, since tests ask what they read; a race makes the whole test undefined.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/arena.hpp"
#include "graph/execution_graph.hpp"
#include "litmus/test.hpp"
#include "models/memory_model.hpp"
#include "strategies/strategy.hpp"

namespace heddle::litmus {

/// The canonical names in the graph: functions of the position in the test.
std::uint64_t location_name(std::uint32_t index);
std::uint64_t thread_name(std::uint32_t index);

/// Two conflicting accesses, at least one of them plain, that happens-before leaves unordered.
struct Race {
  graph::EventId first = graph::no_event;
  graph::EventId second = graph::no_event;
};

/// Asked before every scheduling decision, also if only one thread can run. False ends the execution.
class ExecutionObserver {
 public:
  virtual bool may_continue(const graph::ExecutionGraph& graph, const models::ModelState& state) = 0;

 protected:
  ~ExecutionObserver() = default;
};

class Interpreter {
 public:
  Interpreter(const Test& test, const models::MemoryModel& model);

  /// One execution, from strategy.begin_execution(number) to end_execution. Nothing: the strategy has no more.
  std::optional<strategies::Outcome> run(strategies::Strategy& strategy, std::uint64_t number,
                                         ExecutionObserver* observer = nullptr);

  /// Of the execution that ran last.
  const graph::ExecutionGraph& graph() const { return graph_; }
  State final_state() const;
  std::optional<Race> find_race() const;
  /// What the test did that no execution may do, such as an address outside every location; empty: nothing.
  const std::string& fault() const { return fault_; }

 private:
  struct RunningThread {
    std::uint32_t next = 0;  ///< instruction
    std::vector<std::int64_t> registers;
    strategies::PendingOperation pending;
  };

  void reset();
  /// Runs what is invisible to others, up to the next visible operation. False: the thread has ended.
  bool advance(std::uint32_t thread);
  /// Plain accesses to locations that nobody else names: no other thread can tell when they happen.
  void run_private_accesses(std::uint32_t thread, strategies::Strategy& strategy);
  void step(std::uint32_t thread, strategies::Strategy& strategy);

  void execute_read(std::uint32_t thread, const Instruction& instruction, strategies::Strategy& strategy);
  void execute_store(std::uint32_t thread, const Instruction& instruction, strategies::Strategy& strategy);
  void execute_compare_exchange(std::uint32_t thread, const Instruction& instruction, strategies::Strategy& strategy);
  std::uint32_t choose(strategies::Strategy& strategy, strategies::ChoiceKind kind, std::uint32_t thread);
  graph::Event draft(std::uint32_t thread, const Instruction& instruction, graph::EventKind kind) const;
  void commit(const graph::Event& event, std::uint32_t mo_position, strategies::Strategy& strategy);

  std::int64_t evaluate(std::uint32_t thread, std::uint32_t expression) const;
  void set_register(std::uint32_t thread, std::uint32_t index, std::int64_t value);
  std::int64_t written_value(graph::EventId write) const;

  const Test& test_;
  const models::MemoryModel& model_;
  std::unique_ptr<std::byte[]> memory_;
  base::Arena arena_;
  graph::ExecutionGraph graph_;
  models::ModelState* state_ = nullptr;  ///< of the model, for this execution
  std::vector<RunningThread> threads_;
  std::vector<strategies::Option> options_;
  std::string fault_;
};

}  // namespace heddle::litmus
