// A worker that repeats the execution of a trace.
#pragma once

#include <cstdio>

#include "engine/worker/executor.hpp"

namespace heddle::engine {

class ReplayRun {
 public:
  ReplayRun(channel::Channel& channel, ProgramProcess& process, const Methods& methods, Executor& executor)
      : channel_(channel), process_(process), methods_(methods), executor_(executor) {}

  void run() {
    channel_.progress.isolation_used.store(channel::Isolation::reset, std::memory_order_relaxed);
    executor_.execute(channel_.request.first_execution);
    const auto at = methods_.current().replayer->diverged_at();
    if (!at) return;
    char text[256];
    std::snprintf(text, sizeof text,
                  "the program did not behave as in the trace: decision %zu was a different one this time", *at + 1);
    process_.fail_as_nondeterministic(text);
  }

 private:
  channel::Channel& channel_;
  ProgramProcess& process_;
  const Methods& methods_;
  Executor& executor_;
};

}  // namespace heddle::engine
