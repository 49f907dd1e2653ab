// Runs a litmus test as executions on the core: the second driver beside the fiber engine, without a compiler and
// without fibers. A thread is a program counter and registers. Plain accesses are events with MemoryOrder::plain, since
// tests ask what they read. A race makes the whole test undefined.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/arena.hpp"
#include "graph/execution_graph.hpp"
#include "litmus/test.hpp"
#include "memory/memory.hpp"
#include "models/memory_model.hpp"
#include "strategies/strategy.hpp"

namespace heddle::litmus {

/// The canonical names of locations and threads in the graph: functions of the position in the test.
std::uint64_t location_name(std::uint32_t index);
std::uint64_t thread_name(std::uint32_t index);

/// Two conflicting accesses, at least one of them plain, that happens-before leaves unordered.
struct Race {
  graph::EventId first = graph::no_event;
  graph::EventId second = graph::no_event;
};

/// Asked before every scheduling decision, also if only one thread can run. False ends the execution.
class RunObserver {
 public:
  virtual bool may_continue(const graph::ExecutionGraph& graph, const models::ModelState& state) = 0;

 protected:
  ~RunObserver() = default;
};

class Interpreter {
 public:
  Interpreter(const Test& test, const models::MemoryModel& model);

  /// Runs one execution, from strategy.begin_execution(number) to end_execution. Returns nothing if the strategy has no
  /// further execution.
  std::optional<strategies::Outcome> run(strategies::Strategy& strategy, std::uint64_t number,
                                         RunObserver* observer = nullptr);

  // The execution that ran last:
  const graph::ExecutionGraph& graph() const { return graph_; }
  const models::ModelState& model_state() { return operations_.state(); }
  State final_state() const;
  std::optional<Race> find_race() const;
  /// A message about an invalid operation of the test, such as an access outside every location. Empty: none.
  const std::string& fault() const { return fault_; }

  // The driver of memory::Memory (memory::Driver): not for others.
  std::uint32_t choose(const strategies::Choice& choice) { return strategy_->choose(choice); }
  static bool names_writes() { return true; }
  // Not called: writes have names.
  std::uint32_t choose_write(graph::ThreadId, graph::LocationId, std::size_t) { return 0; }
  static std::uint32_t oldest_settled(graph::LocationId) { return 0; }
  static std::uint32_t newest_seen(graph::ThreadId, graph::LocationId) { return memory::nothing_seen; }
  graph::EventId record(std::uint32_t mo_position);
  void reached_memory(graph::EventId) {}

 private:
  struct RunningThread {
    std::uint32_t next = 0;  ///< instruction
    std::vector<std::int64_t> registers;
    strategies::PendingOperation pending;
    strategies::PendingOperation store;  ///< the internal step: its oldest buffered store reaches memory
  };

  void reset();
  /// Executes what other threads cannot see, up to the next visible operation. False: the thread has ended.
  bool advance(std::uint32_t thread);
  /// Executes plain accesses to locations that no other thread names: no other thread can tell when they happen.
  void run_private_accesses(std::uint32_t thread);
  void list_options();
  void step(std::uint32_t thread);

  void execute_read(std::uint32_t thread, const Instruction& instruction);
  void execute_store(std::uint32_t thread, const Instruction& instruction);
  void execute_compare_exchange(std::uint32_t thread, const Instruction& instruction);
  std::uint32_t choose_option(std::uint32_t last);
  graph::Event& begin_event(std::uint32_t thread, const Instruction& instruction, graph::EventKind kind);

  std::int64_t evaluate(std::uint32_t thread, std::uint32_t expression) const;
  void set_register(std::uint32_t thread, std::uint32_t index, std::int64_t value);
  std::int64_t written_value(graph::EventId write) const;

  const Test& test_;
  const models::MemoryModel& model_;
  std::unique_ptr<std::byte[]> arena_memory_;
  base::Arena arena_;
  graph::ExecutionGraph graph_;
  memory::Memory<Interpreter> operations_;
  strategies::Strategy* strategy_ = nullptr;  ///< of this execution
  std::vector<RunningThread> threads_;
  std::vector<strategies::Option> options_;
  std::string fault_;
};

}  // namespace heddle::litmus
