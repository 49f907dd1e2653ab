// Every execution of a litmus test, the plain way: run with a list of decisions, take the first option where
// the list ends, then change the last decision that has an untried option, and so on. It exists to check
// cleverer searches, so it is kept simple; the only economy is that a state that was reached before, that is
// the same graph so far, is not explored again: it has the same futures.
#pragma once

#include <cstdint>
#include <functional>

#include "litmus/interpreter.hpp"
#include "litmus/stop_flag.hpp"

namespace heddle::litmus {

struct EnumerationSummary {
  std::uint64_t executions = 0;  ///< complete ones, before duplicates were removed
  std::uint64_t graphs = 0;      ///< distinct complete ones
  std::uint64_t runs = 0;        ///< including those that ended in a known state
  bool is_complete = true;       ///< false: `most_runs` was reached, or somebody stopped it
  std::string fault;             ///< see Interpreter::fault
};

/// What determines the future of an execution under `model`, as a hash.
std::uint64_t state_hash(const graph::ExecutionGraph& graph, const models::MemoryModel& model);

/// Calls `visit` once for each distinct complete graph.
EnumerationSummary enumerate(const Test& test, const models::MemoryModel& model,
                             const std::function<void(const Interpreter&)>& visit,
                             std::uint64_t most_runs = 100'000'000, const StopFlag* stop = nullptr);

}  // namespace heddle::litmus
