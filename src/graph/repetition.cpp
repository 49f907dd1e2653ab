// Cutting a graph back and repeating the rest of it: see ExecutionGraph.
#include "base/check.hpp"
#include "graph/execution_graph.hpp"

namespace heddle::graph {

namespace {

/// Whether the store may repeat what its thread wrote last to the location (engine/threads/waiting_rounds.hpp).
bool may_repeat_own_store(const ExecutionGraph& graph, const Event& store, const Location& location) {
  constexpr std::uint32_t most_looks = 8;
  for (std::uint32_t i = 1; i <= store.mo_position && i <= most_looks; ++i) {
    const Event& former = graph.event(location.modification_order[store.mo_position - i]);
    if (former.thread == store.thread) return former.written == store.written;
  }
  return store.mo_position > most_looks;
}

/// Whether other threads may see that the event happened. After it, nothing that the thread read before is a part of a
/// loop that waits or retries (engine/waiting/search_parking.hpp). Steps on synchronisation objects, whose locations
/// have no size, and repeated stores may be parts of such a loop.
bool is_effect(const ExecutionGraph& graph, const Event& event, const Location* location) {
  switch (event.kind) {
    case EventKind::lock:
    case EventKind::unlock:
    case EventKind::create:
    case EventKind::join:
    case EventKind::finish: return true;
    case EventKind::store: return !may_repeat_own_store(graph, event, *location);
    case EventKind::rmw: return event.written != event.read && location->size != 0;
    default: return false;
  }
}

}  // namespace

void ExecutionGraph::record_history(EventId id, const DriverNote& note) {
  while (history_.size() < number(id)) history_.push_back(*arena_, {});
  const Event& event = this->event(id);
  const Thread& author = thread(event.thread);
  History& history = history_.add_uninitialised(*arena_);
  history.clock = author.clock;
  history.release_fence = author.release_fence;
  history.acquirable = author.acquirable;
  history.kept_hash = kept_hash_;
  history.note = note;
  history.was_newest = !accesses_memory(event.kind) || is_buffered(event) ||
                       mo_position_of(event) + 1 == location(event.location).modification_order.size();
}

/// Undoes what append_begun() did.
void ExecutionGraph::remove_last() {
  const EventId id{static_cast<std::uint32_t>(events_.size() - 1)};
  const Event& last = events_.back();
  if (accesses_memory(last.kind)) {
    if (last.kind == EventKind::init) {
      locations_.pop_back();
      events_.pop_back();
      return;
    }
    Location& location = this->location(last.location);
    if (last.thread != no_thread) {
      for (ThreadAccesses& by : location.accessed_by)
        if (by.thread == last.thread) by.accesses.pop_back();
      // Threads are listed in the order of their first accesses.
      if (location.accessed_by.back().accesses.empty()) location.accessed_by.pop_back();
    }
    if (last.kind == EventKind::rmw) event(last.reads_from).overwritten_by = no_event;
    if (writes(last.kind)) {
      auto& order = location.modification_order;
      order.erase(last.mo_position);
      for (std::size_t i = last.mo_position; i < order.size(); ++i) --event(order[i]).mo_position;
      if (location.known_to_all == id) {
        location.known_to_all = order[0];
        for (const EventId write : order)
          if (event(write).thread == no_thread && number(write) > number(location.known_to_all))
            location.known_to_all = write;
      }
    }
  }
  if (last.thread != no_thread && keeps_program_order_) {
    auto& events = thread(last.thread).events;
    std::size_t at = events.size() - 1;
    while (events[at] != id) --at;
    events.erase(at);
  }
  events_.pop_back();
}

void ExecutionGraph::cut_back(EventId end) {
  HEDDLE_CHECK(can_be_cut() && number(end) <= events_.size() && number(end) <= history_.size(),
               "a graph is cut behind its end");
  while (events_.size() > number(end)) remove_last();
  history_.truncate(number(end));
  kept_hash_ = history_.back().kept_hash;
  // The thread of a create event was added right before the event.
  while (!new_threads_.empty() && new_threads_.back().events >= number(end)) {
    thread(new_threads_.back().thread).exists = false;
    new_threads_.pop_back();
  }
}

void ExecutionGraph::cut(EventId end) {
  cut_back(end);
  begin_repetition();
}

/// The state of a thread is that after its newest event. Plain stores, which have odd indices, change nothing.
void ExecutionGraph::cut_and_continue(EventId end) {
  cut_back(end);
  next_repeated_ = repeated_end_ = 0;
  for (Thread& thread : threads_) {
    std::size_t at = thread.events.size();
    while (at != 0 && event(thread.events[at - 1]).index % 2 != 0) --at;
    thread.index = 0;
    thread.clock = thread.acquirable = base::VectorClock::empty();
    thread.release_fence = nullptr;
    if (at == 0) continue;
    const EventId last = thread.events[at - 1];
    const History& history = history_[number(last)];
    thread.index = event(last).index;
    thread.clock = history.clock;
    thread.release_fence = history.release_fence;
    thread.acquirable = history.acquirable;
  }
}

void ExecutionGraph::begin_repetition() {
  next_repeated_ = 0;
  has_diverged_ = false;
  repeated_end_ = static_cast<std::uint32_t>(events_.size());
  for (Thread& thread : threads_) {
    thread.index = thread.last_effect = thread.repeated = 0;
    thread.clock = thread.acquirable = base::VectorClock::empty();
    thread.release_fence = nullptr;
  }
  for (const Event& event : events_) {
    if (event.thread == no_thread || event.index % 2 != 0) continue;
    if (is_effect(*this, event, event.location == no_location ? nullptr : &location(event.location)))
      thread(event.thread).last_effect = event.index;
  }
}

/// The driver comes to locations in the same order again.
LocationId ExecutionGraph::repeat_location(std::uint64_t name) {
  const LocationId id = events_[next_repeated_].location;
  if (events_[next_repeated_].kind != EventKind::init || location(id).name != name) {
    has_diverged_ = true;
    return LocationId{0};  // the driver ends the execution at its next event
  }
  ++next_repeated_;
  return id;
}

bool ExecutionGraph::repeats_import_to(LocationId location) const {
  const Event& next = events_[next_repeated_];
  return next.kind == EventKind::store && next.order == MemoryOrder::plain && next.location == location;
}

EventId ExecutionGraph::repeat(const Event& begun) {
  const Event& event = events_[next_repeated_];
  if (has_diverged_ || event.thread != begun.thread || event.kind != begun.kind || event.location != begun.location ||
      event.operation != begun.operation || event.written != begun.written || event.size != begun.size)
    return no_event;
  const EventId id{next_repeated_++};
  Thread& author = thread(event.thread);
  const History& history = history_[number(id)];
  author.index = event.index;
  while (author.events[author.repeated] != id) ++author.repeated;
  author.clock = history.clock;
  author.release_fence = history.release_fence;
  author.acquirable = history.acquirable;
  return id;
}

}  // namespace heddle::graph
