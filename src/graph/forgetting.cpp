#include "graph/forgetting.hpp"

namespace heddle::graph {

namespace {
constexpr std::uint32_t dropped = Renaming::dropped;
constexpr std::size_t many = 1024;
}  // namespace

/// Moves the surviving part of a graph to another arena.
class Forgetting {
 public:
  Forgetting(ExecutionGraph& graph, const Survivors& survivors, base::Arena& to)
      : graph_(graph), survivors_(survivors), to_(to), scratch_(*graph.arena_),
        names_(scratch_.create_array<std::uint32_t>(graph.events_.size())),
        first_open_(scratch_.create_array<std::uint32_t>(graph.locations_.size())),
        is_dropped_(scratch_.create_array<bool>(graph.locations_.size())) {}

  Renaming run() {
    find_retired_locations();
    find_open_positions();
    for (std::uint32_t& name : names_) name = dropped;
    mark_survivors();
    name_survivors();
    move_locations();  // reads the old events, as move_threads does
    move_threads();
    move_events();
    rename_outside();
    graph_.arena_ = &to_;
    graph_.has_forgotten_ = true;
    return renamed_;
  }

 private:
  void find_retired_locations() {
    for (std::uint32_t l = 0; l < is_dropped_.size(); ++l) is_dropped_[l] = graph_.locations_[l].is_retired;
    for (const EventId* id : survivors_.pinned) is_dropped_[number(graph_.event(*id).location)] = false;
    for (const LocationId id : survivors_.in_use) is_dropped_[number(id)] = false;
  }

  /// Computes F for every location; the size of the modification order for locations that are dropped.
  void find_open_positions() {
    for (std::uint32_t l = 0; l < first_open_.size(); ++l) {
      const Location& location = graph_.locations_[l];
      auto first = static_cast<std::uint32_t>(location.modification_order.size());
      if (is_dropped_[l]) {
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
      if (name != dropped) name = next++;
    count_ = next;
  }
  /// A large vector will grow by half or more until the next call. An arena keeps outgrown storage, so reserve it now.
  static std::size_t with_room_to_grow(std::size_t count) { return count < many ? count : count + count / 2; }

  const base::VectorClock* moved(const base::VectorClock* clock) {
    return clock == nullptr ? nullptr : base::VectorClock::move(to_, clock);
  }

  /// Storage for the surviving events.
  base::ArenaVector<Event> new_storage() {
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
    // A new id is never larger than the old one, so the events can be compacted in place.
    const bool in_place = graph_.events_are_apart_ && survivors_.apart != nullptr;
    base::ArenaVector<Event> events = in_place ? graph_.events_ : new_storage();
    graph_.events_are_apart_ = survivors_.apart != nullptr;
    for (std::uint32_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == dropped) continue;
      Event& event = events[names_[i]];
      event = graph_.events_[i];
      event.reads_from = renamed_(event.reads_from);
      event.overwritten_by = renamed_(event.overwritten_by);
      if (writes(event.kind)) {
        const std::uint32_t gone = first_open_[number(event.location)];
        event.mo_position = event.mo_position < gone ? 0 : event.mo_position - gone;
      }
      event.released = moved(event.released);
      // After the commit of the event, only the search over psc uses its clock, and forgetting ends that search.
      event.clock = base::VectorClock::empty();
      event.synchronised = {};  // the kept hash contains it already
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
      if (is_dropped_[l]) {
        locations.push_back(to_, Location{}).is_retired = true;
        graph_.free_locations_.push_back(to_, LocationId{l});
        continue;
      }
      Location& location = locations.push_back(to_, old);
      location.modification_order = {};
      location.modification_order.reserve(to_, with_room_to_grow(old.modification_order.size() - first_open_[l]));
      for (std::size_t at = first_open_[l]; at < old.modification_order.size(); ++at)
        location.modification_order.push_back(to_, renamed_(old.modification_order[at]));
      location.known_to_all = renamed_(old.modification_order[first_open_[l]]);
      location.accessed_by = {};
      location.accessed_by.reserve(to_, old.accessed_by.size());
      for (const ThreadAccesses& by : old.accessed_by) move_accesses(location, by, first_open_[l]);
    }
    graph_.locations_ = locations;
  }

  /// Calls visit(access, write) for the surviving accesses of a thread to a location: the first for each known write.
  template <typename Visitor>
  void for_each_kept(const ThreadAccesses& by, std::uint32_t first_open, Visitor visit) const {
    std::uint32_t last = dropped;
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
    std::size_t count = 2;  // mostly one or two survive
    if (by.accesses.size() > many) {
      count = 0;
      for_each_kept(by, first_open, [&](const Access&, EventId) { ++count; });
    }
    for_each_kept(by, first_open, [&](const Access& access, EventId write) {
      if (kept.accesses.empty()) kept.accesses.reserve(to_, with_room_to_grow(count));
      kept.accesses.push_back(to_, {access.index, renamed_(write)});
    });
    if (!kept.accesses.empty()) location.accessed_by.push_back(to_, kept);
  }

  void move_threads() {
    base::ArenaVector<Thread> threads;
    threads.reserve(to_, graph_.threads_.size());
    for (const Thread& old : graph_.threads_) {
      Thread& thread = threads.push_back(to_, old);
      thread.clock = moved(thread.clock);
      thread.release_fence = moved(thread.release_fence);
      thread.acquirable = moved(thread.acquirable);
      thread.events = {};
      if (!graph_.keeps_program_order_) continue;
      std::size_t count = 0;
      for (const EventId id : old.events) count += names_[number(id)] != dropped ? 1 : 0;
      thread.events.reserve(to_, with_room_to_grow(count));
      for (const EventId id : old.events)
        if (names_[number(id)] != dropped) thread.events.push_back(to_, renamed_(id));
    }
    graph_.threads_ = threads;
  }

  void rename_outside() {
    for (const auto& outside : {survivors_.named, survivors_.pinned})
      for (EventId* id : outside) *id = renamed_(*id);
  }

  ExecutionGraph& graph_;
  const Survivors& survivors_;
  base::Arena& to_;
  base::Arena& scratch_;            ///< the old arena, which the caller resets afterwards
  std::span<std::uint32_t> names_;  ///< new ids, by old id
  Renaming renamed_{names_};
  std::span<std::uint32_t> first_open_;  ///< F, by location
  std::span<bool> is_dropped_;           ///< by location: retired and not in use
  std::uint32_t count_ = 0;
};

Renaming ExecutionGraph::forget(const Survivors& survivors, base::Arena& to) {
  return Forgetting(*this, survivors, to).run();
}

}  // namespace heddle::graph
