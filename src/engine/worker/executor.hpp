// Makes one execution with the current method, and enters its results in the channel. What kind of campaign it belongs
// to, and which one comes next, is decided by the runs: SamplingRun, TaskRun, AutoSearchRun, MinimizeRun, CheckRun.
#pragma once

#include <cstdint>
#include <optional>

#include "channel/channel.hpp"
#include "engine/engine.hpp"
#include "engine/worker/learning.hpp"
#include "engine/worker/method.hpp"
#include "engine/worker/search_judge.hpp"

namespace heddle::engine {

class Executor {
 public:
  Executor(channel::Channel& channel, Engine& engine, ProgramProcess& process, Ledger& ledger, Methods& methods,
           SearchJudge& judge, Learning& learning)
      : channel_(channel), engine_(engine), process_(process), ledger_(ledger), methods_(methods), judge_(judge),
        learning_(learning) {}

  /// Lets the strategy begin an execution. A search may begin it with steps of the last one. False: nothing is left.
  bool begin(std::uint64_t number);
  /// Makes the execution that has begun: from the transcript of a search, or by the program.
  strategies::Outcome make(std::uint64_t number);
  /// Makes the execution that has begun. Its results are in the channel; the program's memory is left as it ended.
  void execute_begun(std::uint64_t number);
  /// Ends the worker if there is no further execution.
  void execute(std::uint64_t number);
  /// Counts what an execution showed.
  void count(std::uint64_t number, strategies::Outcome outcome);
  /// An execution in a child process is about to begin.
  void announce(std::uint64_t number) { channel_.progress.current_execution.store(number, std::memory_order_relaxed); }
  /// The child process of an execution ended without a word, so this process counts the execution.
  void count_death(std::uint64_t number, int status);
  /// Leaves the accesses that raced in the channel: the execution may run in a child process.
  void leave_races();
  /// A part of a search begins.
  void begin_task() { graphs_of_task_ = 0; }

 private:
  bool is_graph_wanted(strategies::Outcome outcome);

  channel::Channel& channel_;
  Engine& engine_;
  ProgramProcess& process_;
  Ledger& ledger_;
  Methods& methods_;
  SearchJudge& judge_;
  Learning& learning_;
  std::uint32_t last_ = 0;            ///< Engine::executions() after make()
  std::uint64_t graphs_of_task_ = 0;  ///< complete ones
};

}  // namespace heddle::engine
