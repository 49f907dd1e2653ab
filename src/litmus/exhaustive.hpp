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

enum class Symmetry : std::uint8_t { not_used, all_threads_are_twins, all_but_the_first };

/// Calls `visit` for each complete execution graph. The model must have one for exploration.
ExplorationSummary explore(const Test& test, const models::MemoryModel& model,
                           const std::function<void(const Interpreter&)>& visit, const StopFlag* stop = nullptr,
                           Symmetry symmetry = Symmetry::not_used);

}  // namespace heddle::litmus
