// A worker that samples: one execution after the other, in rounds if the strategy learns.
#pragma once

#include <cstdint>

#include "engine/worker/aftermath_run.hpp"
#include "engine/worker/isolation_choice.hpp"

namespace heddle::engine {

class SamplingRun {
 public:
  SamplingRun(const channel::Request& request, ProgramProcess& process, Ledger& ledger, const Methods& methods,
              Learning& learning, Executor& executor, AftermathRun& aftermath)
      : request_(request), process_(process), ledger_(ledger), methods_(methods), learning_(learning),
        executor_(executor), aftermath_(aftermath) {}

  void run(IsolationChoice& isolation);

 private:
  /// Returns false if no further execution is wanted.
  bool execute(std::uint64_t number);
  void execute_in_child(std::uint64_t number);

  const channel::Request& request_;
  ProgramProcess& process_;
  Ledger& ledger_;
  const Methods& methods_;
  Learning& learning_;
  Executor& executor_;
  AftermathRun& aftermath_;
};

}  // namespace heddle::engine
