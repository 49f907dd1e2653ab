#include "graph/forgetting.hpp"

namespace heddle::graph {

namespace {
constexpr std::uint32_t goes = 0xffffffffU;
constexpr std::size_t many = 1024;
}  // namespace

/// Moves what stays of a graph into another arena.
class Forgetting {
 public:
  Forgetting(ExecutionGraph& graph, const Survivors& survivors, base::Arena& to)
      : graph_(graph), survivors_(survivors), to_(to), scratch_(*graph.arena_),
        names_(scratch_.create_array<std::uint32_t>(graph.events_.size())),
        first_open_(scratch_.create_array<std::uint32_t>(graph.locations_.size())),
        goes_whole_(scratch_.create_array<bool>(graph.locations_.size())) {}

  void run() {
    find_retired_locations();
    find_open_places();
    for (std::uint32_t& name : names_) name = goes;
    mark_survivors();
    name_survivors();
    move_locations();  // looks at the old events, as move_threads does
    move_threads();
    move_events();
    rename_outside();
    graph_.arena_ = &to_;
    graph_.seq_cst_events_.forget();
    graph_.seq_cst_order.forget();  // nobody asks for it any more
  }

 private:
  void find_retired_locations() {
    for (std::uint32_t l = 0; l < goes_whole_.size(); ++l) goes_whole_[l] = graph_.locations_[l].is_retired;
    for (const EventId* id : survivors_.pinned) goes_whole_[number(graph_.event(*id).location)] = false;
    for (const LocationId id : survivors_.in_use) goes_whole_[number(id)] = false;
  }

  /// F, for every location; behind everything where nobody will look again.
  void find_open_places() {
    for (std::uint32_t l = 0; l < first_open_.size(); ++l) {
      const Location& location = graph_.locations_[l];
      auto first = static_cast<std::uint32_t>(location.modification_order.size());
      if (goes_whole_[l]) {
        first_open_[l] = first;
        continue;
      }
      --first;
      for (const Actor& actor : survivors_.actors) {
        if (first == 0) break;
        const std::uint32_t known = graph_.newest_known(location, *actor.knows, actor.own);
        if (known < first) first = known;
      }
      first_open_[l] = first;
    }
    for (const EventId* id : survivors_.pinned) {
      const Event& write = graph_.event(*id);
      std::uint32_t& first = first_open_[number(write.location)];
      if (write.mo_position < first) first = write.mo_position;
    }
  }

  void mark_survivors() {
    for (std::uint32_t l = 0; l < first_open_.size(); ++l) {
      const auto& order = graph_.locations_[l].modification_order;
      for (std::size_t at = first_open_[l]; at < order.size(); ++at) names_[number(order[at])] = 0;
    }
    for (const auto& outside : {survivors_.named, survivors_.pinned})
      for (const EventId* id : outside) names_[number(*id)] = 0;
  }

  void name_survivors() {
    std::uint32_t next = 0;
    for (std::uint32_t& name : names_)
      if (name != goes) name = next++;
    count_ = next;
  }
  /// Until the next time, what is large grows by half at least; storage that is outgrown stays where it is.
  static std::size_t with_room_to_grow(std::size_t count) { return count < many ? count : count + count / 2; }
  EventId renamed(EventId id) const { return id == no_event ? no_event : EventId{names_[number(id)]}; }

  const base::VectorClock* moved(const base::VectorClock* clock) {
    return clock == nullptr ? nullptr : base::VectorClock::move(to_, clock);
  }
  void move(Knowledge& knowledge) {
    knowledge.happened = moved(knowledge.happened);
    knowledge.view = moved(knowledge.view);
  }

  /// Where they are to be: with room for those that stay.
  base::ArenaVector<Event> new_place() {
    base::ArenaVector<Event> events;
    if (survivors_.apart == nullptr) {
      events.reserve(to_, with_room_to_grow(count_));
    } else {
      survivors_.apart->reset();
      events.reserve(*survivors_.apart, survivors_.apart->capacity() / sizeof(Event));
    }
    events.resize(to_, count_);
    return events;
  }

  void move_events() {
    // Names grow with age, so what stays can move together where it is.
    const bool stay_there = graph_.events_are_apart_ && survivors_.apart != nullptr;
    base::ArenaVector<Event> events = stay_there ? graph_.events_ : new_place();
    graph_.events_are_apart_ = survivors_.apart != nullptr;
    for (std::uint32_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == goes) continue;
      Event& event = events[names_[i]];
      event = graph_.events_[i];
      event.reads_from = renamed(event.reads_from);
      event.overwritten_by = renamed(event.overwritten_by);
      if (writes(event.kind)) {
        const std::uint32_t gone = first_open_[number(event.location)];
        event.mo_position = event.mo_position < gone ? 0 : event.mo_position - gone;
      }
      event.released = moved(event.released);
      event.released_view = moved(event.released_view);
      // What happened before it matters when it is committed, and to the search that is not made any more.
      event.clock = event.view = base::VectorClock::empty();
      event.synchronised = {};  // it is in the hash
    }
    events.truncate(count_);
    graph_.events_ = events;
  }

  void move_locations() {
    base::ArenaVector<Location> locations;
    locations.reserve(to_, graph_.locations_.size());
    graph_.free_locations_.forget();
    for (std::uint32_t l = 0; l < first_open_.size(); ++l) {
      const Location& old = graph_.locations_[l];
      if (goes_whole_[l]) {
        locations.push_back(to_, Location{}).is_retired = true;
        graph_.free_locations_.push_back(to_, LocationId{l});
        continue;
      }
      Location& location = locations.push_back(to_, old);
      location.modification_order = {};
      location.modification_order.reserve(to_, with_room_to_grow(old.modification_order.size() - first_open_[l]));
      for (std::size_t at = first_open_[l]; at < old.modification_order.size(); ++at)
        location.modification_order.push_back(to_, renamed(old.modification_order[at]));
      location.known_to_all = renamed(old.modification_order[first_open_[l]]);
      const EventId seq_cst = old.newest_seq_cst_write;
      location.newest_seq_cst_write = seq_cst == no_event ? no_event : renamed(seq_cst);
      if (number(location.newest_seq_cst_write) == goes) location.newest_seq_cst_write = no_event;
      location.accessed_by = {};
      location.accessed_by.reserve(to_, old.accessed_by.size());
      for (const ThreadAccesses& by : old.accessed_by) move_accesses(location, by, first_open_[l]);
    }
    graph_.locations_ = locations;
  }

  /// Calls visit(access, write) for what stays of a thread's accesses to a location: one for each write that it knows.
  template <typename Visitor>
  void for_each_kept(const ThreadAccesses& by, std::uint32_t first_open, Visitor visit) const {
    std::uint32_t last = goes;
    for (const Access& access : by.accesses) {
      const Event& event = graph_.event(access.event);
      const EventId write = event.kind == EventKind::load ? event.reads_from : access.event;
      const std::uint32_t position = graph_.event(write).mo_position;
      if (position < first_open || position == last) continue;
      visit(access, write);
      last = position;
    }
  }

  void move_accesses(Location& location, const ThreadAccesses& by, std::uint32_t first_open) {
    ThreadAccesses kept{by.thread, {}};
    std::size_t count = 2;  // mostly there are one or two
    if (by.accesses.size() > many) {
      count = 0;
      for_each_kept(by, first_open, [&](const Access&, EventId) { ++count; });
    }
    for_each_kept(by, first_open, [&](const Access& access, EventId write) {
      if (kept.accesses.empty()) kept.accesses.reserve(to_, with_room_to_grow(count));
      kept.accesses.push_back(to_, {access.index, renamed(write)});
    });
    if (!kept.accesses.empty()) location.accessed_by.push_back(to_, kept);
  }

  void move_threads() {
    base::ArenaVector<Thread> threads;
    threads.reserve(to_, graph_.threads_.size());
    for (const Thread& old : graph_.threads_) {
      Thread& thread = threads.push_back(to_, old);
      move(thread.known);
      move(thread.release_fence);
      move(thread.acquirable);
      thread.events = {};
      if (!graph_.keeps_program_order_) continue;
      std::size_t count = 0;
      for (const EventId id : old.events) count += names_[number(id)] != goes ? 1 : 0;
      thread.events.reserve(to_, with_room_to_grow(count));
      for (const EventId id : old.events)
        if (names_[number(id)] != goes) thread.events.push_back(to_, renamed(id));
    }
    graph_.threads_ = threads;
    move(graph_.seq_cst_knowledge);
    graph_.has_seq_cst_events_ |= !graph_.seq_cst_events_.empty();
    graph_.has_forgotten_ = true;
  }

  void rename_outside() {
    for (const auto& outside : {survivors_.named, survivors_.pinned})
      for (EventId* id : outside) *id = renamed(*id);
  }

  ExecutionGraph& graph_;
  const Survivors& survivors_;
  base::Arena& to_;
  base::Arena& scratch_;                 ///< the old arena: it goes with all that is in it
  std::span<std::uint32_t> names_;       ///< by old name
  std::span<std::uint32_t> first_open_;  ///< F, by location
  std::span<bool> goes_whole_;           ///< by location: nobody will access it again
  std::uint32_t count_ = 0;
};

void ExecutionGraph::forget(const Survivors& survivors, base::Arena& to) { Forgetting(*this, survivors, to).run(); }

}  // namespace heddle::graph
