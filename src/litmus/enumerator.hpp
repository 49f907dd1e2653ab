// Every execution of a litmus test, by plain depth-first search: run with a list of decisions, take the first option
// where the list ends, then change the last decision that has an untried option, and so on. It exists to check cleverer
// searches, so it is kept simple. One economy: it does not continue from a state that it met before, because the rest
// of the execution would be the same.
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
  bool is_complete = true;       ///< false: `most_runs` was reached, or the stop flag was set
  std::string fault;             ///< see Interpreter::fault
};

/// Calls `visit` once for each distinct complete graph.
EnumerationSummary enumerate(const Test& test, const models::MemoryModel& model,
                             const std::function<void(const Interpreter&)>& visit,
                             std::uint64_t most_runs = 100'000'000, const StopFlag* stop = nullptr);

}  // namespace heddle::litmus
