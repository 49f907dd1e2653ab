// The model of C11Tester and PCTWM (Gao et al., ASPLOS 2023, section 4): coherence, atomicity, mo and SC agree, and
// hb | rf | SC is acyclic, where SC is the order in which the seq_cst events were executed.
//
// The printed axioms alone let a seq_cst read ignore a seq_cst write that precedes it in SC. The paper's Algorithm 2
// does not: a seq_cst event joins the whole view (bag) of its SC predecessors. This code follows the algorithm. So the
// view of an event is the set of events from which (hb | SC)+ leads to it, and coherence is stated over views.
// Happens-before is kept apart from views, since it defines races.
#include "models/c11.hpp"

#include "base/hash.hpp"
#include "models/synchronisation.hpp"

namespace heddle::models {

using base::VectorClock;
using graph::Event;
using graph::EventId;
using graph::EventKind;
using graph::ExecutionGraph;
using graph::Location;
using graph::ThreadId;

namespace {

class C11State final : public ModelState {
 public:
  C11State(ExecutionGraph& graph, ReleaseSequence rule) : ModelState(graph), rule_(rule) {}

  void readable_writes(const Event& read, base::ArenaVector<EventId>& out) override;
  std::uint32_t readable_from(const Event& read) override {
    return newest_in_view(graph_.location(read.location), read);
  }
  void mo_slots(const Event& write, base::ArenaVector<std::uint32_t>& out) override;
  bool goes_last(const Event& write) override {
    const Location& location = graph_.location(write.location);
    return newest_in_view(location, write) + 1 == location.modification_order.size();
  }
  void commit(EventId id) override;
  void forget(const graph::Renaming& renamed) override;
  std::uint64_t hash() const override { return seq_cst_hash_; }

 private:
  /// The view counterparts of Event::clock and Event::released.
  struct EventViews {
    const VectorClock* view = VectorClock::empty();
    const VectorClock* released = nullptr;
  };
  /// The view counterparts of Thread::clock, Thread::release_fence and Thread::acquirable.
  struct ThreadViews {
    const VectorClock* view = VectorClock::empty();
    const VectorClock* release_fence = nullptr;
    const VectorClock* acquirable = VectorClock::empty();
  };

  const VectorClock* join(const VectorClock* a, const VectorClock* b) {
    return VectorClock::join(graph_.arena(), a, b);
  }
  EventViews& of_event(EventId id) {
    if (events_.size() <= number(id)) events_.resize(graph_.arena(), number(id) + std::size_t{1});
    return events_[number(id)];
  }
  ThreadViews& of_thread(ThreadId id) {
    if (threads_.size() <= number(id)) threads_.resize(graph_.arena(), number(id) + std::size_t{1});
    return threads_[number(id)];
  }
  const VectorClock* released_by(EventId id) { return of_event(id).released; }

  /// The view that the event's thread would have if it executed `event` now.
  const VectorClock* view_at(const Event& event) {
    const VectorClock* view = of_thread(event.thread).view;
    return is_seq_cst_event(event) ? join(view, seq_cst_view_) : view;
  }
  std::uint32_t newest_in_view(const Location& location, const Event& event) {
    return graph_.newest_known(location, *view_at(event), event.thread);
  }
  const VectorClock* learn(const Event& event);
  const VectorClock* released_view(const Event& event, EventId id, const VectorClock* with_own);

  ReleaseSequence rule_;
  base::ArenaVector<EventViews> events_;
  base::ArenaVector<ThreadViews> threads_;
  const VectorClock* seq_cst_view_ = VectorClock::empty();  ///< the join of the views of all seq_cst events
  std::uint64_t seq_cst_hash_ = 0;                          ///< of the order of the seq_cst events
};

void C11State::readable_writes(const Event& read, base::ArenaVector<EventId>& out) {
  const Location& location = graph_.location(read.location);
  const auto& order = location.modification_order;
  for (std::uint32_t position = newest_in_view(location, read); position < order.size(); ++position) {
    if (read.kind == EventKind::rmw && graph_.event(order[position]).overwritten_by != graph::no_event) continue;
    out.push_back(graph_.arena(), order[position]);
  }
}

void C11State::mo_slots(const Event& write, base::ArenaVector<std::uint32_t>& out) {
  const Location& location = graph_.location(write.location);
  const auto& order = location.modification_order;
  for (std::uint32_t position = newest_in_view(location, write) + 1; position <= order.size(); ++position)
    if (graph_.event(order[position - 1]).overwritten_by == graph::no_event) out.push_back(graph_.arena(), position);
}

void C11State::commit(EventId id) {
  synchronise(graph_, id, rule_);
  const Event& event = graph_.event(id);
  if (event.thread == graph::no_thread || event.index % 2 == 1) return;
  const VectorClock* view = learn(event);
  of_thread(event.thread).view = of_event(id).view = view;
  const VectorClock* with_own = VectorClock::with(graph_.arena(), view, number(event.thread), event.index);
  if (event.kind == EventKind::fence && is_release(event.order)) of_thread(event.thread).release_fence = with_own;
  if (is_seq_cst_event(event)) {
    seq_cst_view_ = join(seq_cst_view_, with_own);
    seq_cst_hash_ = base::hash_words(seq_cst_hash_, number(event.thread), event.index);
  }
  // Where synchronise() let the event release a clock, the event releases a view.
  if (event.released != nullptr) of_event(id).released = released_view(event, id, with_own);
}

/// The view of `event`, with what it learns from the events that it reads or synchronises with.
const VectorClock* C11State::learn(const Event& event) {
  const VectorClock* view = view_at(event);
  if (reads(event.kind)) {
    const VectorClock* released = released_by(event.reads_from);
    VectorClock const*& acquirable = of_thread(event.thread).acquirable;
    if (released != nullptr && is_acquire(event.order))
      view = join(view, released);
    else if (released != nullptr && event.order != graph::MemoryOrder::plain)
      acquirable = join(acquirable, released);
  }
  for (const EventId releasing : event.synchronised) view = join(view, released_by(releasing));
  if (event.kind == EventKind::fence && is_acquire(event.order)) view = join(view, of_thread(event.thread).acquirable);
  return join(view, event.clock);
}

const VectorClock* C11State::released_view(const Event& event, EventId id, const VectorClock* with_own) {
  const VectorClock* fence = of_thread(event.thread).release_fence;
  const bool releases_itself = is_release(event.order) || !accesses_memory(event.kind);
  const VectorClock* released = releases_itself    ? with_own
                                : fence != nullptr ? join(fence, event.released)
                                                   : event.released;
  if (event.kind == EventKind::rmw && released_by(event.reads_from) != nullptr)
    released = join(released, released_by(event.reads_from));
  if (writes(event.kind) && rule_ == ReleaseSequence::c11)
    for_each_continued_release(graph_, graph_.event(id), [&](const Event& earlier) {
      const auto earlier_id = static_cast<std::uint32_t>(&earlier - graph_.events().data());
      const VectorClock* view = of_event(EventId{earlier_id}).view;
      released = join(released, VectorClock::with(graph_.arena(), view, number(earlier.thread), earlier.index));
    });
  return released;
}

void C11State::forget(const graph::Renaming& renamed) {
  base::Arena& to = graph_.arena();
  const auto move = [&to](const VectorClock*& clock) {
    if (clock != nullptr) clock = VectorClock::move(to, clock);
  };
  base::ArenaVector<EventViews> events;
  events.resize(to, graph_.events().size());
  for (std::uint32_t old = 0; old < events_.size(); ++old) {
    if (renamed(EventId{old}) == graph::no_event) continue;
    // Only the C++11 release sequences use the view of an old event, and with them the graph does not forget.
    const VectorClock* released = events_[old].released;
    move(released);
    events[number(renamed(EventId{old}))].released = released;
  }
  events_ = events;
  base::ArenaVector<ThreadViews> threads;
  for (ThreadViews views : threads_) {
    move(views.view);
    move(views.release_fence);
    move(views.acquirable);
    threads.push_back(to, views);
  }
  threads_ = threads;
  move(seq_cst_view_);
}

}  // namespace

constinit const ModelDescriptor c11_model = {
    .name = "c11",
    .title = "c11",
    .make = [](const ModelOptions& options, base::Arena& arena) -> const MemoryModel* {
      return arena.create<C11>(options.release_sequence);
    },
    .is_of_language = true,
    .has_release_sequences = true,
};

ModelState& C11::begin_execution(ExecutionGraph& graph, base::Arena& arena) const {
  return *arena.create<C11State>(graph, release_sequence_);
}

}  // namespace heddle::models
