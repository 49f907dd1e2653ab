// Happens-before, computed incrementally: what release and acquire operations, fences, release sequences and
// synchronisation objects pass from thread to thread. All models use the happens-before of C++, since it defines races.
#pragma once

#include "graph/execution_graph.hpp"
#include "models/memory_model.hpp"

namespace heddle::models {

/// The clock that `read` would have if it were added now, reading from `write`.
const base::VectorClock* clock_when_reading(graph::ExecutionGraph& graph, const graph::Event& read,
                                            const graph::Event& write);

/// The C++11 rule rs = [W];(sb & loc)?;[W_atomic];(rf;rmw)*: visits the earlier release writes of the same thread to
/// the same location, whose sequences `write` continues.
template <typename Visit>
void for_each_continued_release(const graph::ExecutionGraph& graph, const graph::Event& write, Visit visit) {
  for (const graph::ThreadAccesses& by : graph.location(write.location).accessed_by) {
    if (by.thread != write.thread) continue;
    for (const graph::Access& access : by.accesses) {
      const graph::Event& earlier = graph.event(access.event);
      if (access.index < write.index && writes(earlier.kind) && is_release(earlier.order)) visit(earlier);
    }
  }
}

// Inline, since synchronise() runs for every event of every execution.

namespace happens_before {

inline const base::VectorClock* join(graph::ExecutionGraph& graph, const base::VectorClock* a,
                                     const base::VectorClock* b) {
  return base::VectorClock::join(graph.arena(), a, b);
}

/// A clock with everything that happens before `event`, and `event` itself.
inline const base::VectorClock* everything_before(graph::ExecutionGraph& graph, const graph::Event& event) {
  return base::VectorClock::with(graph.arena(), event.clock, number(event.thread), event.index);
}

inline void learn(graph::ExecutionGraph& graph, graph::Thread& thread, const base::VectorClock* clock) {
  thread.clock = join(graph, thread.clock, clock);
}

inline void learn_from_read(graph::ExecutionGraph& graph, graph::Thread& thread, const graph::Event& read,
                            const graph::Event& write) {
  // sw = ...;rf;[R_atomic];(sb;[F])?;...: a plain read does not synchronise, not even through a fence.
  if (write.released == nullptr || read.order == graph::MemoryOrder::plain) return;
  if (is_acquire(read.order))
    learn(graph, thread, write.released);
  else
    thread.acquirable = join(graph, thread.acquirable, write.released);
}

/// What the write itself releases, by [>=rel];([F];sb)?: the head of a release sequence. Null: nothing.
inline const base::VectorClock* own_release(graph::ExecutionGraph& graph, const graph::Thread& thread,
                                            const graph::Event& write) {
  if (is_release(write.order)) return everything_before(graph, write);
  return thread.release_fence;
}

/// The C++11 rule: what the earlier release stores whose sequences `write` continues released themselves. What they
/// inherited as read-modify-writes is not included.
const base::VectorClock* continued_release(graph::ExecutionGraph& graph, const graph::Event& write);

inline void release_by_write(graph::ExecutionGraph& graph, const graph::Thread& thread, graph::Event& write,
                             ReleaseSequence rule) {
  if (write.order == graph::MemoryOrder::plain) return;  // plain stores do not synchronise
  const base::VectorClock* released = own_release(graph, thread, write);
  if (rule == ReleaseSequence::c11) {
    const base::VectorClock* continued = continued_release(graph, write);
    if (continued != nullptr) released = released == nullptr ? continued : join(graph, released, continued);
  }
  if (write.kind == graph::EventKind::rmw) {
    const base::VectorClock* inherited = graph.event(write.reads_from).released;
    if (inherited != nullptr) released = released == nullptr ? inherited : join(graph, released, inherited);
  }
  write.released = released;
}

}  // namespace happens_before

/// Sets the clock of `event` and what it releases, and updates the clocks of `thread`, its thread. The event was just
/// appended.
[[gnu::always_inline]] inline void synchronise(graph::ExecutionGraph& graph, graph::Thread& thread, graph::Event& event,
                                               ReleaseSequence rule) {
  using namespace happens_before;
  using graph::EventKind;
  for (graph::EventId releasing : event.synchronised) learn(graph, thread, graph.event(releasing).released);
  if (accesses_memory(event.kind)) {
    if (event.kind != EventKind::store) learn_from_read(graph, thread, event, graph.event(event.reads_from));
    event.clock = thread.clock;
    if (event.kind != EventKind::load) release_by_write(graph, thread, event, rule);
  } else if (event.kind == EventKind::fence) {
    if (is_acquire(event.order)) learn(graph, thread, thread.acquirable);
    event.clock = thread.clock;
    if (!is_release(event.order)) return;
    thread.release_fence = everything_before(graph, event);
  } else {
    event.clock = thread.clock;
    if (releases(event.kind)) event.released = everything_before(graph, event);
  }
}

/// synchronise() for any event: init events and plain stores that were found late have no clock to set.
inline void synchronise(graph::ExecutionGraph& graph, graph::EventId id, ReleaseSequence rule) {
  graph::Event& event = graph.event(id);
  if (event.thread == graph::no_thread) return;
  // A plain store that an atomic access found in memory. Its thread may have executed later events, and the clock that
  // it had is not kept. No event can synchronise with a plain store, so only its index matters.
  if (event.index % 2 == 1) return;
  synchronise(graph, graph.thread(event.thread), event, rule);
}

}  // namespace heddle::models
