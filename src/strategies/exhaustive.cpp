#include "strategies/exhaustive.hpp"

namespace heddle::strategies {

namespace {

// More is a typing error: no search gets through so many.
constexpr double most_bound = 999'999'999;

constexpr Parameter parameters[] = {
    {.name = "events",
     .help = "end executions after so many events; 0: do not",
     .most = most_bound,
     .default_value = 0},
    {.name = "loop",
     .help = "stop threads that reach one place more than N times; 0: do not",
     .most = most_bound,
     .default_value = 0},
    {.name = "spurious",
     .help = "how often a thread may wake without a reason or give up a timed wait",
     .most = most_bound,
     .default_value = 1},
    {.name = "values",
     .help = "how many values an undetermined number may have",
     .least = 1,
     .most = most_bound,
     .default_value = 4},
    {.name = "symmetry",
     .help = "1: do not explore which of several equal threads does what",
     .most = 1,
     .default_value = 0},
    {.name = "weak",
     .help = "how often a thread's weak compare-exchange at one place may fail without a reason",
     .most = most_bound,
     .default_value = 1},
    {.name = "arrivals",
     .help = "1: explore in which order threads arrive at a barrier",
     .most = 1,
     .default_value = 0},
    {.name = "switches",
     .help = "the most preemptions of an execution",
     .most = most_bound,
     .default_value = most_bound},
    {.name = "undone",
     .help = "1: explore iterations that undo or repeat what they did",
     .most = 1,
     .default_value = 0},
    {.name = "readers", .help = "1: explore in which order threads share a lock", .most = 1, .default_value = 0},
    {.name = "native", .help = "1: run the program for every execution", .most = 1, .default_value = 0},
};
static_assert(most_bound == no_switch_bound);
static_assert(std::size(parameters) <= most_parameters);

}  // namespace

constinit const StrategyDescriptor exhaustive_search = {
    .name = "exhaustive",
    .help = "every execution graph, once",
    .parameters = parameters,
    .first_weight = 0,
    .make = nullptr,
};

SearchBounds search_bounds(const ParameterValues& given) {
  const auto value = [&](std::size_t i) {
    return static_cast<std::uint64_t>(given[i] ? *given[i] : *parameters[i].default_value);
  };
  return {.events = value(0),
          .loop = value(1),
          .spurious = value(2),
          .values = value(3),
          .symmetry = value(4),
          .weak = value(5),
          .arrivals = value(6),
          .undone = value(8),
          .readers = value(9),
          .native = value(10),
          .switches = value(7)};
}

}  // namespace heddle::strategies
