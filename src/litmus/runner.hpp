// Runs a test under a model and a strategy, and prints the result in the way of herd7 and litmus7.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "litmus/expectations.hpp"
#include "litmus/stop_flag.hpp"
#include "litmus/test.hpp"
#include "models/memory_model.hpp"
#include "strategies/strategy.hpp"

namespace heddle::litmus {

struct Histogram {
  std::map<State, std::uint64_t> states;  ///< the number of graphs (exhaustive) or executions with each state
  std::uint64_t total = 0;
  bool has_race = false;
  bool is_exhaustive = false;  ///< every execution graph was visited
  bool was_stopped = false;
  std::string fault;  ///< see Interpreter::fault
};

/// Uses the optimal search, or the plain enumerator if the model does not support the search (c11).
Histogram run_exhaustively(const Test& test, const models::MemoryModel& model, const StopFlag* stop = nullptr);
Histogram run_sampling(const Test& test, const models::MemoryModel& model, strategies::Strategy& strategy,
                       std::uint64_t executions, const StopFlag* stop = nullptr);

/// "Test SB Allowed", the states, "Ok", the witnesses, "Observation SB Sometimes 1 3".
std::string herd_text(const Test& test, const Histogram& histogram);

/// The differences from the expectation, one per line; empty if there are none. A sample may leave out states and
/// races.
std::string differences(const Test& test, const Histogram& histogram, const Expectation& expectation);

}  // namespace heddle::litmus
