// PCT (Burckhardt, Kothari, Musuvathi, Nagarakatte: "A randomized scheduler with probabilistic guarantees of finding
// bugs", ASPLOS 2010), in the form that the PCTWM papers measure: a read takes any write that the memory model
// allows, uniformly. A bug that needs d ordering constraints shows up in at least 1/(n k^(d-1)) of the executions of
// n threads with k events, if each read has the choice that it needs.
//
// The algorithm is that of Mingyu Gao, "Probabilistic Testing for Weak Memory Concurrency", Delft 2022, Algorithm 1:
// - The thread falls before the event at the change point, not after it (lines 11 to 14). The original PCT does the
//   opposite, which shifts all change points by one.
// - In the thesis a delayed event counts again when its thread is back. Here it counts once, so that k is the number of
//   events.
// - All points and priorities are drawn anew for every execution.
#include "strategies/pct.hpp"

#include "strategies/chance.hpp"

namespace heddle::strategies {

namespace {

/// The thesis's shared access events (definition 4), and locks. A switch before any other event (thread start, join,
/// ...) has the same effect as a switch before the next of these.
bool is_shared_access(graph::EventKind kind, graph::MemoryOrder, bool) {
  using graph::EventKind;
  return accesses_memory(kind) || kind == EventKind::fence || kind == EventKind::lock || kind == EventKind::unlock;
}

// Most bugs that people report need two or three ordering constraints. The larger depths help while k is not known and
// some of the change points lie behind the end of the execution.
constexpr double depths[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
constexpr std::uint8_t depth_weights[] = {2, 4, 4, 2, 2, 1, 1};
constexpr Parameter declared_parameters[] = {
    {.name = "d",
     .help = "the number of ordering constraints that the bug needs",
     .role = Parameter::Role::depth,
     .least = 1,
     .most = PctStrategy::max_depth,
     .values = depths,
     .first_weights = depth_weights},
    {.name = "k",
     .help = "the number of events of an execution",
     .role = Parameter::Role::length,
     .least = 1,
     .most = most_length},
};

}  // namespace

constinit const StrategyDescriptor pct_strategy = {
    .name = "pct",
    .help = "threads by priority, d - 1 changes of priority; any write",
    .parameters = declared_parameters,
    .first_weight = 3,
    .make = [](std::uint64_t seed, base::Arena& arena) -> Strategy* {
      return arena.create<PctStrategy>(seed, PctStrategy::Parameters{}, arena);
    },
};

PctStrategy::PctStrategy(std::uint64_t seed, const Parameters& parameters, base::Arena& arena)
    : seed_(seed), parameters_(parameters), schedule_(arena, is_shared_access) {}

bool PctStrategy::begin_execution(std::uint64_t number) {
  schedule_.random().begin(seed_, number);
  schedule_.begin(parameters_.depth - 1, parameters_.length);
  return true;
}

std::uint32_t PctStrategy::choose(const Choice& choice) {
  return choice.kind == ChoiceKind::thread ? schedule_.choose_thread(choice)
                                           : choose_by_chance(schedule_.random(), choice);
}

}  // namespace heddle::strategies
