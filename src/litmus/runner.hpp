// Runs a test under a model and a strategy, and says what came out the way herd7 and litmus7 do.
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
  std::map<State, std::uint64_t> states;  ///< how often each was seen: graphs (exhaustive) or executions
  std::uint64_t total = 0;
  bool has_race = false;
  bool is_exhaustive = false;  ///< nothing is missing
  bool was_stopped = false;
  std::string fault;  ///< see Interpreter::fault
};

/// By the optimal search; where the model has none for it (c11), by the plain enumerator.
Histogram run_exhaustively(const Test& test, const models::MemoryModel& model, const StopFlag* stop = nullptr);
Histogram run_sampling(const Test& test, const models::MemoryModel& model, strategies::Strategy& strategy,
                       std::uint64_t executions, const StopFlag* stop = nullptr);

/// "Test SB Allowed", the states, "Ok", the witnesses, "Observation SB Sometimes 1 3".
std::string herd_text(const Test& test, const Histogram& histogram);

/// What differs from the expectation, in a line or more; empty: nothing. A sample may leave states out, and races.
std::string differences(const Test& test, const Histogram& histogram, const Expectation& expectation);

}  // namespace heddle::litmus
