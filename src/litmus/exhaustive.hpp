// Every execution graph of a litmus test exactly once: exploration::Exploration, driven by the interpreter.
#pragma once

#include <functional>
#include <string>

#include "exploration/exploration.hpp"
#include "litmus/interpreter.hpp"
#include "litmus/stop_flag.hpp"

namespace heddle::litmus {

struct ExplorationSummary {
  exploration::Statistics statistics;
  bool is_complete = true;  ///< false: somebody stopped it
  std::string fault;        ///< see Interpreter::fault
};

inline constexpr std::uint32_t no_twins = 0xffffffffU;

/// Calls `visit` for each complete execution graph. The model must have one for exploration. The threads from
/// `first_twin` on do the same: see exploration/symmetry.hpp.
ExplorationSummary explore(const Test& test, const models::MemoryModel& model,
                           const std::function<void(const Interpreter&)>& visit, const StopFlag* stop = nullptr,
                           std::uint32_t first_twin = no_twins);

}  // namespace heddle::litmus
