// A worker that looks for a simpler execution with the same finding (trace/minimizer.hpp). Its tries leave nothing in
// the channel but their number; the last execution, which is the simplest one, is reported like any other.
#pragma once

#include <cstdint>

#include "engine/worker/executor.hpp"

namespace heddle::engine {

class MinimizeRun {
 public:
  MinimizeRun(channel::Channel& channel, Engine& engine, ProgramProcess& process, Ledger& ledger, Methods& methods,
              Executor& executor)
      : channel_(channel), engine_(engine), process_(process), ledger_(ledger), methods_(methods), executor_(executor) {
  }

  void run();

 private:
  void try_schedule(std::uint64_t number, const std::uint64_t& accesses);
  /// From now on, executions have at most so many events.
  void bound_events(std::uint64_t most);

  channel::Channel& channel_;
  Engine& engine_;
  ProgramProcess& process_;
  Ledger& ledger_;
  Methods& methods_;
  Executor& executor_;
};

}  // namespace heddle::engine
