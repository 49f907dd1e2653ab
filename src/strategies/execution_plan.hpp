// A plan: the part of an execution that the next run has to rebuild before its strategy continues by itself. The
// exhaustive search and the fuzzer follow plans in the same way: at a choice between threads the run takes the thread
// of the next planned event, at a choice between writes the planned source, at a choice between slots the planned
// predecessor.
//
// The search names events by (thread, index): its plans live in one process (exploration/graph_plan.hpp). The fuzzer's
// plans come from other processes, where threads may have other numbers, so they use canonical names.
#pragma once

#include <cstdint>

#include "base/arena.hpp"
#include "graph/execution_graph.hpp"
#include "strategies/recording.hpp"
#include "strategies/strategy.hpp"

namespace heddle::strategies {

/// No option of a choice.
inline constexpr std::uint32_t no_option = 0xffffffffU;

/// The first option for which `is_planned` holds, or no_option.
template <typename IsPlanned>
std::uint32_t find_option(const Choice& choice, IsPlanned is_planned) {
  for (std::uint32_t i = 0; i < choice.options.size(); ++i)
    if (is_planned(choice.options[i])) return i;
  return no_option;
}
/// The option that runs the thread for which `is_planned(ThreadId)` holds.
template <typename IsPlanned>
std::uint32_t find_thread(const Choice& choice, IsPlanned is_planned) {
  return find_option(choice,
                     [&](const Option& option) { return !option.is_internal_step() && is_planned(option.thread); });
}
/// The option that reads from the write for which `is_planned(Event)` holds.
template <typename IsPlanned>
std::uint32_t find_write(const Choice& choice, const graph::ExecutionGraph& graph, IsPlanned is_planned) {
  return find_option(choice, [&](const Option& option) { return is_planned(graph.event(option.write)); });
}
/// The slot of `location` that follows the write for which `is_planned(Event)` holds.
template <typename IsPlanned>
std::uint32_t find_slot(const Choice& choice, const graph::ExecutionGraph& graph, graph::LocationId location,
                        IsPlanned is_planned) {
  const auto& order = graph.location(location).modification_order;
  return find_option(choice, [&](const Option& option) { return is_planned(graph.event(order[option.number - 1])); });
}

/// A planned event, by canonical names.
struct PlannedStep {
  std::uint64_t thread;
  std::uint64_t name;         ///< step_name()
  std::uint64_t source;       ///< load, rmw: the write that it reads from
  std::uint64_t predecessor;  ///< store: the write it follows in modification order when it is executed
  graph::EventKind kind;
  std::uint8_t detail;      ///< the option of a spurious, timeout or value choice
  bool fixes_detail;        ///< otherwise the detail is free
  bool takes_other_source;  ///< it reads from any write but `source`
  bool takes_other_slot;    ///< it takes any slot but the one behind `predecessor`
};

struct Plan {
  base::ArenaVector<PlannedStep> steps;  ///< in the order of execution
  /// After the steps, another thread than this one runs, if there is one; 0: no such demand.
  std::uint64_t excluded_thread = 0;

  void clear() {
    steps.clear();
    excluded_thread = 0;
  }
};

}  // namespace heddle::strategies
