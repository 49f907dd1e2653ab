// Every execution graph of a litmus test exactly once: exploration::Exploration, driven by the interpreter.
#pragma once

#include <functional>
#include <string>

#include "exploration/exploration.hpp"
#include "litmus/interpreter.hpp"

namespace heddle::litmus {

struct ExplorationSummary {
  exploration::Statistics statistics;
  std::string fault;  ///< see Interpreter::fault
};

/// Calls `visit` for each complete execution graph. The model must have one for exploration.
ExplorationSummary explore(const Test& test, const models::MemoryModel& model,
                           const std::function<void(const Interpreter&)>& visit);

}  // namespace heddle::litmus
