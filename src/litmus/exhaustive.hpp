// Visits every execution graph of a litmus test exactly once: exploration::Exploration, driven by the interpreter.
#pragma once

#include <functional>
#include <string>

#include "exploration/exploration.hpp"
#include "litmus/interpreter.hpp"
#include "litmus/stop_flag.hpp"

namespace heddle::litmus {

struct ExplorationSummary {
  exploration::Statistics statistics;
  bool is_complete = true;  ///< false: the stop flag was set
  std::string fault;        ///< see Interpreter::fault
};

inline constexpr std::uint32_t no_twins = 0xffffffffU;

/// Calls `visit` for each complete execution graph. model.for_exploration() must not be null. The threads from
/// `first_twin` on run the same code: see exploration/symmetry.hpp.
ExplorationSummary explore(const Test& test, const models::MemoryModel& model,
                           const std::function<void(const Interpreter&)>& visit, const StopFlag* stop = nullptr,
                           std::uint32_t first_twin = no_twins);

}  // namespace heddle::litmus
