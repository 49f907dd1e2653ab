// PCT (Burckhardt, Kothari, Musuvathi, Nagarakatte: "A randomized scheduler with probabilistic guarantees of finding
// bugs", ASPLOS 2010), in the form that the PCTWM papers measure: a read takes any write that the memory model
// allows, uniformly. A bug that needs d ordering constraints shows up in at least 1/(n k^(d-1)) of the executions of
// n threads with k events, if each read has the choice that it needs.
//
// Line by line: C. Gao, "Probabilistic concurrency testing for weak memory", 2022, Algorithm 1. The thread falls before
// the event at the change point, not after it (lines 11 to 14; the original is the other way, which shifts all change
// points by one). There a put-off event counts again when its thread is back; here an event counts once, so that k is
// the number of events. All points and priorities are drawn anew for every execution.
#include "strategies/pct.hpp"

#include "strategies/chance.hpp"

namespace heddle::strategies {

namespace {

/// The thesis's shared access events (definition 4), and locks: before another event (thread start, join, ...) a switch
/// shows nothing that a switch before the next one of these does not show.
bool is_shared_access(graph::EventKind kind, graph::MemoryOrder, bool) {
  using graph::EventKind;
  return accesses_memory(kind) || kind == EventKind::fence || kind == EventKind::lock || kind == EventKind::unlock;
}

}  // namespace

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
