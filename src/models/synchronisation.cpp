#include "models/synchronisation.hpp"

namespace heddle::models {

using base::VectorClock;
using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::ExecutionGraph;
using graph::Thread;

namespace {

const VectorClock* join(ExecutionGraph& graph, const VectorClock* a, const VectorClock* b) {
  return VectorClock::join(graph.arena(), a, b);
}

/// Everything up to and including `event`, as somebody else may learn it.
const VectorClock* everything_before(ExecutionGraph& graph, const Event& event) {
  return VectorClock::with(graph.arena(), event.clock, number(event.thread), event.index);
}

void learn(ExecutionGraph& graph, Thread& thread, const VectorClock* clock) {
  thread.known.happened = join(graph, thread.known.happened, clock);
}

void learn_from_read(ExecutionGraph& graph, Thread& thread, const Event& read, const Event& write) {
  // sw = ...;rf;[R_atomic];(sb;[F])?;...: a plain read synchronises with nobody, not even through a fence.
  if (write.released == nullptr || read.order == graph::MemoryOrder::plain) return;
  if (is_acquire(read.order))
    learn(graph, thread, write.released);
  else
    thread.acquirable.happened = join(graph, thread.acquirable.happened, write.released);
}

/// The release part of a write: what [>=rel];([F];sb)? puts at the head of a release sequence.
const VectorClock* own_release(ExecutionGraph& graph, const Thread& thread, const Event& write) {
  if (is_release(write.order)) return everything_before(graph, write);
  return thread.has_release_fence ? thread.release_fence.happened : nullptr;
}

/// What the stores that `write` continues under the C++11 rule released themselves; what they inherited as
/// read-modify-writes does not go on.
[[gnu::noinline]] const VectorClock* continued_release(ExecutionGraph& graph, const Event& write) {
  const VectorClock* released = nullptr;
  for_each_continued_release(graph, write, [&](const Event& earlier) {
    const VectorClock* head = everything_before(graph, earlier);
    released = released == nullptr ? head : join(graph, released, head);
  });
  return released;
}

void release_by_write(ExecutionGraph& graph, const Thread& thread, Event& write, ReleaseSequence rule) {
  if (write.order == graph::MemoryOrder::plain) return;  // plain stores synchronise with nobody
  const VectorClock* released = own_release(graph, thread, write);
  if (rule == ReleaseSequence::c11) {
    const VectorClock* continued = continued_release(graph, write);
    if (continued != nullptr) released = released == nullptr ? continued : join(graph, released, continued);
  }
  if (write.kind == EventKind::rmw) {
    const VectorClock* inherited = graph.event(write.reads_from).released;
    if (inherited != nullptr) released = released == nullptr ? inherited : join(graph, released, inherited);
  }
  write.released = released;
}

}  // namespace

const VectorClock* clock_when_reading(ExecutionGraph& graph, const Event& read, const Event& write) {
  const Thread& thread = graph.thread(read.thread);
  if (!is_acquire(read.order) || write.released == nullptr) return thread.known.happened;
  return join(graph, thread.known.happened, write.released);
}

void synchronise(ExecutionGraph& graph, EventId id, ReleaseSequence rule) {
  Event& event = graph.event(id);
  if (event.thread == graph::no_thread) return;
  Thread& thread = graph.thread(event.thread);
  if (event.index % 2 == 1) {
    // A plain store that an atomic access found in memory: its author has moved on since, and what the
    // author knew then is not kept. Nobody can synchronise with it, so only its index matters.
    return;
  }
  if (reads(event.kind)) learn_from_read(graph, thread, event, graph.event(event.reads_from));
  for (EventId releasing : event.synchronised) learn(graph, thread, graph.event(releasing).released);
  if (event.kind == EventKind::fence && is_acquire(event.order)) learn(graph, thread, thread.acquirable.happened);
  event.clock = thread.known.happened;
  if (event.kind == EventKind::fence && is_release(event.order)) {
    thread.has_release_fence = true;
    thread.release_fence.happened = everything_before(graph, event);
  }
  if (event.kind == EventKind::store || event.kind == EventKind::rmw) release_by_write(graph, thread, event, rule);
  if (event.kind == EventKind::unlock || event.kind == EventKind::create || event.kind == EventKind::finish)
    event.released = everything_before(graph, event);
}

}  // namespace heddle::models
