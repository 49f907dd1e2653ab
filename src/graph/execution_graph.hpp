// The execution so far: events, program order, reads-from, modification order and clocks. It only stores: the memory
// model (models/) decides which edges are allowed. Many methods: most are queries of relations, in one line.
#pragma once

#include <cstdint>
#include <new>
#include <span>

#include "base/arena.hpp"
#include "base/fast_paths.hpp"
#include "base/vector_clock.hpp"
#include "graph/event.hpp"
#include "graph/event_hash.hpp"

namespace heddle::graph {

struct Thread {
  std::uint64_t name = 0;   ///< canonical: a function of (parent, spawn index)
  std::uint32_t index = 0;  ///< of its newest visible event
  bool exists = false;
  /// The events of other threads that happen before the thread's next event.
  const base::VectorClock* clock = base::VectorClock::empty();
  /// What the thread's newest release fence lets its later stores release. Null: no such fence.
  const base::VectorClock* release_fence = nullptr;
  /// What an acquire fence would learn from the thread's earlier relaxed reads.
  const base::VectorClock* acquirable = base::VectorClock::empty();
  base::ArenaVector<EventId> events;  ///< in program order; see ExecutionGraph::keep_program_order
  /// While the graph is repeated: the index of the thread's newest event, of those to be repeated, that is an effect.
  std::uint32_t last_effect = 0;
  std::uint32_t repeated = 0;  ///< while the graph is repeated: so many of `events` have been

  std::uint32_t plain_index() const { return index + 1; }
};

/// One access of a thread to a location.
struct Access {
  std::uint32_t index;
  EventId event;
};
struct ThreadAccesses {
  ThreadId thread;
  base::ArenaVector<Access> accesses;  ///< in program order
};

struct Location {
  std::uint64_t name = 0;  ///< canonical: the same in every execution and process
  base::ArenaVector<EventId> modification_order;
  base::ArenaVector<ThreadAccesses> accessed_by;
  EventId known_to_all = no_event;  ///< the newest write that happens before every event; mostly the init event
  std::uint8_t size = 0;
  bool is_retired = false;  ///< no event will access it any more
};

struct Survivors;
class Renaming;

class ExecutionGraph {
 public:
  explicit ExecutionGraph(base::Arena& arena) : arena_(&arena) {}

  /// Empties the graph. The caller has reset the arena. Reserves as much room as the previous graph had, since
  /// executions of one program are alike.
  void clear();

  void add_thread(ThreadId id, std::uint64_t name);
  /// The init event gives the location its value before the first write.
  LocationId add_location(std::uint64_t name, std::uint8_t size, Value initial);
  /// No event will access the location any more, because its memory was reused for another object. forget() makes its
  /// number available to another location.
  void retire(LocationId id) {
    location(id).is_retired = true;
    is_past_cutting_ = true;
  }

  /// A new event in the storage where append_begun() will append it, which saves a copy. The reference is valid until
  /// the next begin_event() or append.
  Event& begin_event() { return *new (&begun_event()) Event; }
  /// The storage of the next event: the one that begin_event() returned last.
  Event& begun_event() { return events_.next_uninitialised(*arena_); }
  /// Appends the event in begun_event(). The caller has set thread, kind, order, location, values and reads_from. The
  /// graph sets the index, unless the caller set an odd one, and inserts a write at `mo_position` of the modification
  /// order. The model sets the clock.
  EventId append_begun(std::uint32_t mo_position = newest);
  /// append_begun() for an event of `author` whose index is not set. Saves looking up both. Returns the event, whose id
  /// was next_id() before.
  Event& append_newest_of(Thread& author, std::uint32_t mo_position);
  EventId next_id() const { return EventId{static_cast<std::uint32_t>(events_.size())}; }
  /// Appends a copy of `event`, or begun_event() itself if that is `event`.
  EventId append(const Event& event, std::uint32_t mo_position = newest);
  /// Removes the newest event. It must not have been committed to the model.
  void retract_last();
  static constexpr std::uint32_t newest = 0xffffffffU;
  /// As the position of a store: it stays out of modification order, in a store buffer, until place().
  static constexpr std::uint32_t unplaced = 0xfffffffeU;
  /// Gives a buffered store the newest position in modification order.
  void place(EventId id);

  Event& event(EventId id) { return events_[number(id)]; }
  const Event& event(EventId id) const { return events_[number(id)]; }
  std::span<const Event> events() const { return events_; }
  Thread& thread(ThreadId id) { return threads_[number(id)]; }
  const Thread& thread(ThreadId id) const { return threads_[number(id)]; }
  std::span<const Thread> threads() const { return threads_; }
  Location& location(LocationId id) { return locations_[number(id)]; }
  const Location& location(LocationId id) const { return locations_[number(id)]; }
  std::span<const Location> locations() const { return locations_; }
  base::Arena& arena() const { return *arena_; }

  /// From now on, until clear(), Thread::events lists the events of each thread in program order. Off by default, since
  /// only rc11's search over psc, the model sc_graphs and the exhaustive search need it.
  void keep_program_order() {
    if (!keeps_program_order_) find_program_order();
  }

  /// Moves the graph to another arena without the events that no later event can depend on: see graph/forgetting.hpp.
  /// The result is valid until the old arena is reset; the model's state needs it (ModelState::forget).
  Renaming forget(const Survivors& survivors, base::Arena& to);
  /// How many events the graph has storage for.
  std::size_t room_for_events() const { return events_.capacity(); }
  /// begin_event() will have to move the events to larger storage.
  bool is_full() const { return events_.is_full(); }
  bool has_forgotten() const { return has_forgotten_; }
  /// The value of canonical_hash() for all events, forgotten ones included. append and retract_last() update it, so it
  /// is wrong if the caller changes an event afterwards.
  std::uint64_t kept_hash() const { return kept_hash_; }
  /// Empties the graph, which uses `arena` from now on.
  void clear(base::Arena& arena) {
    arena_ = &arena;
    clear();
  }

  // ---- repetition: the first part of an execution that is the same as in the execution before --------------------
  // A search changes one decision of an execution, and executes the program again. Up to that decision, the execution
  // would build what the graph already contains. So the graph is cut back to that point, and the driver repeats what it
  // did: it adds the same threads and locations, and makes the same events, in the same order. The graph answers with
  // what it has. Events, modification orders and accesses are those at the end of the repetition all the time. The
  // index and the clocks of each thread are those of its newest event that has been repeated.

  /// From now on, until clear(), record_history() is called for each event of a thread, which a cut needs.
  void keep_history() { keeps_history_ = true; }
  bool keeps_history() const { return keeps_history_; }
  /// What the driver needs when it repeats the event; the graph does not look at it.
  struct DriverNote {
    std::uint32_t decisions = 0;          ///< that the execution had taken
    std::uint32_t failed_emulations = 0;  ///< RetryWindow::failures of the thread before the event
  };
  /// The model has committed the event.
  void record_history(EventId id, const DriverNote& note);
  struct History {
    const base::VectorClock* clock = nullptr;  ///< these are the thread's after the event
    const base::VectorClock* release_fence = nullptr;
    const base::VectorClock* acquirable = nullptr;
    std::uint64_t kept_hash = 0;
    DriverNote note;
    bool was_newest = true;  ///< the event made, or read, the newest write of its location at that time
  };
  const History& history_of(EventId id) const { return history_[number(id)]; }
  /// Whether cut() is possible: there is a history, and nothing has happened that it does not tell.
  bool can_be_cut() const { return keeps_history_ && !is_past_cutting_; }
  /// Removes the events from `end` on, and everything that came with them. record_history() was called for the event
  /// before `end`, and can_be_cut() holds. Then begins to repeat the events that are left.
  void cut(EventId end);
  /// Removes the events as cut() does, and continues from there: nothing is repeated.
  void cut_and_continue(EventId end);
  bool is_repeating() const { return next_repeated_ < repeated_end_; }
  /// How many events the execution has made, repeated ones included.
  std::size_t events_so_far() const { return is_repeating() ? next_repeated_ : events_.size(); }
  /// The event that comes next, while the graph is repeated.
  EventId next_repeated() const { return EventId{next_repeated_}; }
  /// The next event of this thread that will be repeated. no_event: there is none.
  EventId next_repeated_of(ThreadId id) const {
    const Thread& thread = this->thread(id);
    for (std::size_t i = thread.repeated; i < thread.events.size(); ++i)
      if (event(thread.events[i]).index > thread.index && event(thread.events[i]).index % 2 == 0)
        return thread.events[i];
    return no_event;
  }
  /// Whether that is a plain store to the location which was found in memory.
  bool repeats_import_to(LocationId location) const;
  void repeat_import() { ++next_repeated_; }
  /// The driver makes the next event. Returns no_event if it is another one than `begun`.
  EventId repeat(const Event& begun);

  /// The newest write in modification order: its value is the one in memory.
  EventId newest_write(LocationId location) const;
  /// The position in modification order of the write that `event` made (store, rmw) or read (load).
  std::uint32_t mo_position_of(const Event& event) const;
  /// The newest position in modification order that an event in `clock`, or any event of thread `own`, wrote or read.
  std::uint32_t newest_known(const Location& location, const base::VectorClock& clock, ThreadId own = no_thread) const;

 private:
  friend class Forgetting;
  void index_access(Location& location, const Event& event, EventId id);
  void number_newest(Thread& author, Event& event, EventId id);
  void finish_appending(Event& event, EventId id, std::uint32_t mo_position, std::uint64_t author);
  std::uint64_t hash_of(const Event& event) const;
  void add_access(Event& event, EventId id, std::uint32_t mo_position);
  [[gnu::cold, gnu::noinline]] void find_program_order();
  LocationId repeat_location(std::uint64_t name);
  void remove_last();
  void cut_back(EventId end);
  void begin_repetition();
  [[gnu::noinline]] void insert_in_program_order(Thread& author, const Event& event, EventId id);
  void add_to_modification_order(Location& location, Event& event, EventId id, std::uint32_t position);
  [[gnu::noinline]] void insert_in_modification_order(Location& location, Event& event, EventId id,
                                                      std::uint32_t position);

  base::Arena* arena_;
  base::ArenaVector<Event> events_;
  base::ArenaVector<Thread> threads_;
  base::ArenaVector<Location> locations_;
  base::ArenaVector<LocationId> free_locations_;
  std::uint64_t kept_hash_ = 0;
  bool events_are_apart_ = false;  ///< events_ is in an arena of its own
  bool has_forgotten_ = false;
  bool keeps_program_order_ = !base::fast_paths;

  struct NewThread {
    ThreadId thread;
    std::uint32_t events;  ///< so many were in the graph when it was added
  };
  base::ArenaVector<History> history_;  ///< by event
  base::ArenaVector<NewThread> new_threads_;
  bool keeps_history_ = false;
  bool is_past_cutting_ = false;
  std::uint32_t next_repeated_ = 0;
  std::uint32_t repeated_end_ = 0;
  bool has_diverged_ = false;  ///< the driver does not repeat what it did
};

// Inline, since every event of every execution is appended by one of these functions.
inline EventId ExecutionGraph::append_begun(std::uint32_t mo_position) {
  const EventId id = next_id();
  Event& event = events_.add_next();
  std::uint64_t author = 1;
  if (event.thread != no_thread) {
    if (event.index == 0)
      number_newest(thread(event.thread), event, id);
    else if (keeps_program_order_)
      insert_in_program_order(thread(event.thread), event, id);
    author = thread(event.thread).name;
  }
  finish_appending(event, id, mo_position, author);
  return id;
}

inline Event& ExecutionGraph::append_newest_of(Thread& author, std::uint32_t mo_position) {
  const EventId id = next_id();
  Event& event = events_.add_next();
  number_newest(author, event, id);
  finish_appending(event, id, mo_position, author.name);
  return event;
}

inline void ExecutionGraph::finish_appending(Event& event, EventId id, std::uint32_t mo_position,
                                             std::uint64_t author) {
  event.name = event_name(author, event.location == no_location ? 0 : location(event.location).name, event.index);
  if (accesses_memory(event.kind)) add_access(event, id, mo_position);
  if (event.kind != EventKind::init) kept_hash_ += hash_of(event);
}

inline std::uint64_t ExecutionGraph::hash_of(const Event& event) const {
  EdgeNames edges;
  if (event.reads_from != no_event) edges.source = this->event(event.reads_from).name;
  if (writes(event.kind) && event.mo_position > 0)
    edges.predecessor = this->event(location(event.location).modification_order[event.mo_position - 1]).name;
  for (const EventId releasing : event.synchronised) edges.synchronised += this->event(releasing).name;
  return event_hash(event, event.name, edges);
}

inline void ExecutionGraph::number_newest(Thread& author, Event& event, EventId id) {
  event.index = author.index += 2;
  if (keeps_program_order_) author.events.push_back(*arena_, id);
}

inline void ExecutionGraph::add_access(Event& event, EventId id, std::uint32_t mo_position) {
  Location& location = this->location(event.location);
  if (writes(event.kind) && mo_position != unplaced) add_to_modification_order(location, event, id, mo_position);
  if (event.kind == EventKind::rmw) this->event(event.reads_from).overwritten_by = id;
  if (event.thread != no_thread) index_access(location, event, id);
}

inline void ExecutionGraph::add_to_modification_order(Location& location, Event& event, EventId id,
                                                      std::uint32_t position) {
  const auto size = static_cast<std::uint32_t>(location.modification_order.size());
  if (position >= size) {
    event.mo_position = size;
    location.modification_order.push_back(*arena_, id);
  } else {
    insert_in_modification_order(location, event, id, position);
  }
  if (event.thread == no_thread) location.known_to_all = id;
}

inline void ExecutionGraph::index_access(Location& location, const Event& event, EventId id) {
  for (ThreadAccesses& by : location.accessed_by) {
    if (by.thread != event.thread) continue;
    by.accesses.push_back(*arena_, {event.index, id});
    return;
  }
  ThreadAccesses& by = location.accessed_by.add_uninitialised(*arena_);
  by.thread = event.thread;
  by.accesses.forget();
  by.accesses.push_back(*arena_, {event.index, id});
}

/// A hash that does not depend on the order of execution. Up to hash collisions, two executions have the same hash
/// exactly if they have the same events, po, rf, mo and synchronisation.
std::uint64_t canonical_hash(const ExecutionGraph& graph);

}  // namespace heddle::graph
