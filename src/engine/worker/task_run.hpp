// A worker of an exhaustive search that several processes share: it explores one subtree after the other, and gives
// parts of them away. The protocol is channel/subtree_task.hpp.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/worker/executor.hpp"
#include "engine/worker/isolation_choice.hpp"

namespace heddle::engine {

class TaskRun {
 public:
  TaskRun(channel::Channel& channel, Engine& engine, ProgramProcess& process, Ledger& ledger, const Methods& methods,
          SearchJudge& judge, Executor& executor)
      : channel_(channel), task_(channel.task), engine_(engine), process_(process), ledger_(ledger), methods_(methods),
        judge_(judge), executor_(executor) {}

  void run(IsolationChoice& isolation);

 private:
  using End = channel::SubtreeTask::End;

  exploration::Exploration* exploration() const { return methods_.current().exploration; }
  void estimate(std::uint64_t number);
  bool await_task();
  void explore_task();
  std::optional<End> explore_until_end();
  exploration::Pending::Gift take_gift(std::uint64_t least);
  void give_part_of_task();

  channel::Channel& channel_;
  channel::SubtreeTask& task_;
  Engine& engine_;
  ProgramProcess& process_;
  Ledger& ledger_;
  const Methods& methods_;
  SearchJudge& judge_;
  Executor& executor_;
};

}  // namespace heddle::engine
