#include "models/synchronisation.hpp"

namespace heddle::models {

using base::VectorClock;
using graph::Event;
using graph::ExecutionGraph;
using graph::Thread;

const VectorClock* happens_before::continued_release(ExecutionGraph& graph, const Event& write) {
  const VectorClock* released = nullptr;
  for_each_continued_release(graph, write, [&](const Event& earlier) {
    const VectorClock* head = everything_before(graph, earlier);
    released = released == nullptr ? head : join(graph, released, head);
  });
  return released;
}

const VectorClock* clock_when_reading(ExecutionGraph& graph, const Event& read, const Event& write) {
  const Thread& thread = graph.thread(read.thread);
  if (!is_acquire(read.order) || write.released == nullptr) return thread.clock;
  return happens_before::join(graph, thread.clock, write.released);
}

}  // namespace heddle::models
