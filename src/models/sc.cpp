// Sequential consistency: there is one memory, and the execution order is the order. Happens-before is kept
// as in C++, from the orders the program wrote: a race is a race on a strong machine too.
#include "models/sc.hpp"

#include "models/synchronisation.hpp"

namespace heddle::models {

using graph::Event;
using graph::EventId;
using graph::ExecutionGraph;

void Sc::readable_writes(ExecutionGraph& graph, const Event& read, base::ArenaVector<EventId>& out) const {
  out.push_back(graph.arena(), graph.newest_write(read.location));
}

std::uint32_t Sc::readable_from(ExecutionGraph& graph, const Event& read) const {
  return static_cast<std::uint32_t>(graph.location(read.location).modification_order.size()) - 1;
}

void Sc::mo_slots(ExecutionGraph& graph, const Event& write, base::ArenaVector<std::uint32_t>& out) const {
  out.push_back(graph.arena(), static_cast<std::uint32_t>(graph.location(write.location).modification_order.size()));
}

void Sc::commit(ExecutionGraph& graph, EventId event) const { synchronise(graph, event, ReleaseSequence::cpp20); }

std::optional<Violation> Sc::check(const ExecutionGraph& graph, base::Arena& scratch) const {
  return graphs_.check(graph, scratch);
}

}  // namespace heddle::models
