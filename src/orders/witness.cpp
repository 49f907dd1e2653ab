#include "orders/witness.hpp"

#include <algorithm>
#include <utility>

#include "models/axioms.hpp"

namespace heddle::orders {

namespace {

using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::ExecutionGraph;
using graph::LocationId;
using graph::ThreadId;

constexpr std::uint32_t nothing = 0xffffffffU;

}  // namespace

WitnessCheck::WitnessCheck(Witness witness, const models::MemoryModel& model, models::ReleaseSequence release_sequence)
    : witness_(std::move(witness)), model_(model), release_sequence_(release_sequence) {
  for (const WitnessEvent& event : witness_.events)
    for (const std::uint32_t dimension : {event.dimension, event.success_dimension})
      if (dimension != no_dimension) dimensions_.push_back(dimension);
  std::sort(dimensions_.begin(), dimensions_.end());
  dimensions_.erase(std::unique(dimensions_.begin(), dimensions_.end()), dimensions_.end());
}

bool WitnessCheck::shows_under(const Assignment& assignment, base::Arena& scratch) {
  std::vector<graph::MemoryOrder> relevant;
  relevant.reserve(dimensions_.size());
  for (const std::uint32_t dimension : dimensions_) relevant.push_back(assignment[dimension]);
  const auto [known, is_new] = known_.try_emplace(std::move(relevant), false);
  if (is_new) known->second = check(assignment, scratch);
  return known->second;
}

bool WitnessCheck::check(const Assignment& assignment, base::Arena& scratch) const {
  scratch.reset();
  ExecutionGraph graph(scratch);
  build_graph(assignment, graph);
  return !model_.check(graph, scratch) && (!witness_.race || races(graph, scratch));
}

/// Without the fences that the assignment leaves out.
void WitnessCheck::build_graph(const Assignment& assignment, ExecutionGraph& graph) const {
  graph.clear();
  for (std::uint32_t thread = 0; thread < witness_.threads; ++thread) graph.add_thread(ThreadId{thread}, thread + 2);
  // A location brings the event of its initial value with it.
  std::vector<EventId> ids(witness_.events.size(), graph::no_event);
  std::vector<std::uint8_t> sizes(witness_.locations, 0);
  for (const WitnessEvent& event : witness_.events)
    if (event.location != nothing) sizes[event.location] = std::max(sizes[event.location], event.size);
  for (std::uint32_t location = 0; location < witness_.locations; ++location)
    graph.add_location(location + 1, sizes[location], 0);
  std::vector<std::vector<std::uint32_t>> placed(witness_.locations);  // positions in modification order, sorted
  for (std::size_t i = 0; i < witness_.events.size(); ++i) {
    const WitnessEvent& from = witness_.events[i];
    if (from.kind == EventKind::init) {
      ids[i] = graph.location(LocationId{from.location}).modification_order[0];
      continue;
    }
    Event event;
    event.kind = from.kind;
    event.order = from.dimension == no_dimension ? from.order : assignment[from.dimension];
    if (from.kind == EventKind::fence && event.order == graph::MemoryOrder::plain && from.dimension != no_dimension)
      continue;
    event.size = from.size;
    event.thread = from.thread == nothing ? graph::no_thread : ThreadId{from.thread};
    event.index = from.index;
    if (from.location != nothing) event.location = LocationId{from.location};
    if (from.reads_from != nothing) event.reads_from = ids[from.reads_from];
    if (from.is_failed_exchange) {
      const bool releases =
          from.success_dimension != no_dimension && graph::is_release(assignment[from.success_dimension]);
      event.failed_exchange = releases ? graph::FailedExchange::release : graph::FailedExchange::weaker_than_release;
    }
    std::vector<EventId> synchronised;
    for (const std::uint32_t release : from.synchronised)
      if (ids[release] != graph::no_event) synchronised.push_back(ids[release]);
    event.synchronised = graph.arena().copy_array(std::span<const EventId>(synchronised));
    std::uint32_t position = ExecutionGraph::newest;
    if (writes(from.kind)) {
      auto& before = placed[from.location];
      const auto at = std::lower_bound(before.begin(), before.end(), from.mo_position);
      position = static_cast<std::uint32_t>(at - before.begin()) + 1;  // behind the initial value
      before.insert(at, from.mo_position);
    }
    ids[i] = graph.append(event, position);
  }
}

bool WitnessCheck::races(const ExecutionGraph& graph, base::Arena& scratch) const {
  const models::Axioms axioms(graph, scratch, release_sequence_);
  const auto events = graph.events();
  const auto ordered = [&](const RacingAccess& first, const RacingAccess& second) {
    if (first.thread == second.thread) return first.index < second.index;
    std::size_t from = events.size(), to = events.size();
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (events[i].thread == ThreadId{first.thread} && events[i].index >= first.index &&
          (from == events.size() || events[i].index < events[from].index))
        from = i;
      if (events[i].thread == ThreadId{second.thread} && events[i].index <= second.index &&
          (to == events.size() || events[i].index > events[to].index))
        to = i;
    }
    return from != events.size() && to != events.size() && axioms.hb.has(from, to);
  };
  return !ordered(witness_.race->first, witness_.race->second) && !ordered(witness_.race->second, witness_.race->first);
}

}  // namespace heddle::orders
