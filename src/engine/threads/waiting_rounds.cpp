#include "engine/threads/waiting_rounds.hpp"

#include "engine/operations/operation.hpp"

namespace heddle::engine {

using graph::Event;
using graph::EventKind;
using graph::ExecutionGraph;

namespace {

// A loop that waits is shorter.
constexpr unsigned most_events = 64;

/// The last write of the event's thread to the location before the event. Null: there is none nearby.
const Event* former_write(const ExecutionGraph& graph, const Event& event) {
  const auto& events = graph.thread(event.thread).events;
  unsigned looked_at = 0;
  for (std::size_t i = events.size(); i-- > 0 && looked_at < most_events;) {
    const Event& other = graph.event(events[i]);
    if (other.index >= event.index) continue;  // a graph that is repeated contains later events
    ++looked_at;
    if (other.location == event.location && writes(other.kind)) return &other;
  }
  return nullptr;
}

bool gives_up(const Event& event) {
  const auto operation = static_cast<Operation>(event.operation);
  return operation == Operation::mutex_try_lock || operation == Operation::mutex_timed_lock;
}

bool is_exact_store(const ExecutionGraph& graph, const Event& store) {
  const Event* const former = former_write(graph, store);
  if (former == nullptr) return false;
  for (const graph::EventId id : graph.location(store.location).modification_order) {
    const Event& other = graph.event(id);
    if (other.kind == EventKind::init || other.thread == store.thread) continue;
    if (!happens_before(other, *former) && !happens_before(store, other)) return false;
  }
  return true;
}

bool is_exact_step(const ExecutionGraph& graph, const Event& step) {
  for (const Event& other : graph.events())
    if (other.location == step.location && gives_up(other)) return false;
  return true;
}

template <typename Predicate>
bool holds_for_writes(const ExecutionGraph& graph, graph::ThreadId thread, std::uint32_t begin, Predicate holds) {
  for (const graph::EventId id : graph.thread(thread).events) {
    const Event& event = graph.event(id);
    const bool is_change =
        event.kind == EventKind::store || (event.kind == EventKind::rmw && event.written != event.read);
    if (event.index > begin && is_change && !holds(event)) return false;
  }
  return true;
}

}  // namespace

bool repeats_own_store(const ExecutionGraph& graph, const Event& event) {
  if (event.kind != EventKind::store) return false;
  const Event* const former = former_write(graph, event);
  return former != nullptr && former->kind == EventKind::store && former->written == event.written &&
         former->size == event.size && former->order == event.order;
}

bool has_writes(const ExecutionGraph& graph, graph::ThreadId thread, std::uint32_t begin) {
  return !holds_for_writes(graph, thread, begin, [](const Event&) { return false; });
}

bool is_exact_round(const ExecutionGraph& graph, graph::ThreadId thread, std::uint32_t begin) {
  return holds_for_writes(graph, thread, begin, [&](const Event& event) {
    return event.kind == EventKind::store ? is_exact_store(graph, event) : is_exact_step(graph, event);
  });
}

}  // namespace heddle::engine
