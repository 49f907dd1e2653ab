// The execution so far: events, program order, reads-from, modification order, and what every thread
// knows. The graph only stores; which edges are allowed is the memory model's business (models/).
#pragma once

#include <cstdint>
#include <new>
#include <span>

#include "base/arena.hpp"
#include "base/fast_paths.hpp"
#include "base/reachability.hpp"
#include "base/vector_clock.hpp"
#include "graph/event.hpp"
#include "graph/event_hash.hpp"

namespace heddle::graph {

/// What a thread has learnt. `view` is what its reads may no longer ignore; for most models it is the
/// same as happens-before, and then the two pointers are equal and cost nothing.
struct Knowledge {
  const base::VectorClock* happened = base::VectorClock::empty();
  const base::VectorClock* view = base::VectorClock::empty();
};

struct Thread {
  std::uint64_t name = 0;   ///< canonical: a function of (parent, spawn index)
  std::uint32_t index = 0;  ///< of its newest visible event
  bool exists = false;
  Knowledge known;          ///< own thread excluded
  Knowledge release_fence;  ///< what its newest release fence passes on to later stores
  Knowledge acquirable;     ///< what an acquire fence would learn from its relaxed reads
  bool has_release_fence = false;
  base::ArenaVector<EventId> events;  ///< in program order; see ExecutionGraph::keep_program_order

  std::uint32_t plain_index() const { return index + 1; }
};

/// One access of a thread to a location: its own index, and the write it made or read.
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
  EventId newest_seq_cst_write = no_event;  ///< in modification order
  EventId newest_access{0};                 ///< no later event accesses it; one that was taken back may be meant
  EventId known_to_all = no_event;          ///< the newest write that happens before everything: mostly the init
  std::uint8_t size = 0;
  bool is_retired = false;  ///< nobody will access it any more
};

/// What rc11 keeps of psc, the order of seq_cst events that its axiom asks for: see models/psc.hpp.
struct SeqCstOrder {
  base::Reachability reachability;           ///< its nodes are the first of seq_cst_events()
  base::ArenaVector<EventId> placed_back;    ///< events whose edges out are not in it yet
  bool is_outdated = false;                  ///< and must be built anew
  base::Reachability::Set sources, targets;  ///< of a question; kept for their memory
  base::Reachability::Set added;             ///< while it is brought up to date
  struct FirstAccess {
    ThreadId thread;
    std::uint32_t index;
  };
  base::ArenaVector<FirstAccess> first_ahead;  ///< of a question, too

  void forget() { *this = {}; }
};

struct Survivors;

class ExecutionGraph {
 public:
  explicit ExecutionGraph(base::Arena& arena) : arena_(&arena) {}

  /// Empties the graph. The caller has reset the arena. Makes room for as much as the last graph held, since executions
  /// of one program are alike.
  void clear();

  void add_thread(ThreadId id, std::uint64_t name);
  /// The init event gives the location its value before the first write.
  LocationId add_location(std::uint64_t name, std::uint8_t size, Value initial);
  /// Nobody will access the location any more: its memory has become something else. Its number may be given to another
  /// one once old events have been forgotten.
  void retire(LocationId id) { location(id).is_retired = true; }

  /// An event in the place where it will be appended, so that nobody has to copy it. It is there until another one is
  /// begun or appended.
  Event& begin_event() { return *new (&begun_event()) Event; }
  /// The place where begin_event() begins events.
  Event& begun_event() { return events_.next_uninitialised(*arena_); }
  /// Appends the event that was begun. The caller has set thread, kind, order, location, values and reads_from; the
  /// graph gives it its index (unless the caller set an odd one) and, if it writes, puts it at `mo_position` of the
  /// modification order. The clock is the model's to set.
  EventId append_begun(std::uint32_t mo_position = newest);
  /// The same for an event of `author` that has no index yet, which saves looking for either.
  EventId append_newest_of(Thread& author, std::uint32_t mo_position);
  /// Appends a copy of an event, or the one that was begun.
  EventId append(const Event& event, std::uint32_t mo_position = newest);
  /// Takes the newest event back; it must not have been committed to the model.
  void retract_last();
  static constexpr std::uint32_t newest = 0xffffffffU;

  Event& event(EventId id) { return events_[number(id)]; }
  const Event& event(EventId id) const { return events_[number(id)]; }
  std::span<const Event> events() const { return events_; }
  Thread& thread(ThreadId id) { return threads_[number(id)]; }
  const Thread& thread(ThreadId id) const { return threads_[number(id)]; }
  std::span<const Thread> threads() const { return threads_; }
  Location& location(LocationId id) { return locations_[number(id)]; }
  const Location& location(LocationId id) const { return locations_[number(id)]; }
  std::span<const Location> locations() const { return locations_; }
  std::span<const EventId> seq_cst_events() const { return seq_cst_events_; }
  base::Arena& arena() const { return *arena_; }

  /// From now on, until the graph is emptied, it knows the events of each thread in their order. Few ask for that: it
  /// begins by itself with the first seq_cst event, for the search that rc11 makes among those.
  void keep_program_order() {
    if (!keeps_program_order_) find_program_order();
  }

  /// Moves to another arena and leaves behind what nobody can ask for any more: see graph/forgetting.hpp.
  void forget(const Survivors& survivors, base::Arena& to);
  /// How many events there can be, at least as long as nothing else takes room.
  std::size_t room_for_events() const { return events_.capacity(); }
  bool has_forgotten() const { return has_forgotten_; }
  /// Also if they are forgotten.
  bool has_seq_cst_events() const { return has_seq_cst_events_; }
  /// What canonical_hash() says, of all events, also those that are forgotten. Kept while events are appended and
  /// retracted: who changes one afterwards must do without.
  std::uint64_t kept_hash() const { return kept_hash_; }
  /// Empties the graph into this arena.
  void clear(base::Arena& arena) {
    arena_ = &arena;
    clear();
  }

  /// The write whose value memory holds: the newest in modification order.
  EventId newest_write(LocationId location) const;
  /// The place in modification order of the write that `event` made or read.
  std::uint32_t mo_position_of(const Event& event) const;
  /// The newest place in modification order that somebody with knowledge `clock` (and, if given, thread
  /// `own`, of which everything is known) is aware of: through a write or through a read.
  std::uint32_t newest_known(const Location& location, const base::VectorClock& clock, ThreadId own = no_thread) const;

  /// Kept by the models: what happened before some seq_cst fence (rc11), and what some seq_cst event had
  /// in view (c11).
  Knowledge seq_cst_knowledge;
  SeqCstOrder seq_cst_order;

 private:
  friend class Forgetting;
  void note_access(Location& location, const Event& event, EventId id);
  void number_newest(Thread& author, Event& event, EventId id);
  void finish_appending(Event& event, EventId id, std::uint32_t mo_position, std::uint64_t author);
  std::uint64_t hash_of(const Event& event) const;
  void add_access(Event& event, EventId id, std::uint32_t mo_position);
  [[gnu::cold, gnu::noinline]] void find_program_order();
  [[gnu::noinline]] void insert_in_program_order(Thread& author, const Event& event, EventId id);
  void add_to_modification_order(Location& location, Event& event, EventId id, std::uint32_t position);
  [[gnu::noinline]] void insert_in_modification_order(Location& location, Event& event, EventId id,
                                                      std::uint32_t position);

  base::Arena* arena_;
  base::ArenaVector<Event> events_;
  base::ArenaVector<Thread> threads_;
  base::ArenaVector<Location> locations_;
  base::ArenaVector<LocationId> free_locations_;
  base::ArenaVector<EventId> seq_cst_events_;
  std::uint64_t kept_hash_ = 0;
  bool events_are_apart_ = false;  ///< in memory that nothing else is in
  bool has_forgotten_ = false;
  bool has_seq_cst_events_ = false;
  bool keeps_program_order_ = !base::fast_paths;
};

// In line, since every event of every execution comes this way.
inline EventId ExecutionGraph::append_begun(std::uint32_t mo_position) {
  const EventId id{static_cast<std::uint32_t>(events_.size())};
  Event& event = events_.add_uninitialised(*arena_);
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

inline EventId ExecutionGraph::append_newest_of(Thread& author, std::uint32_t mo_position) {
  const EventId id{static_cast<std::uint32_t>(events_.size())};
  Event& event = events_.add_uninitialised(*arena_);
  number_newest(author, event, id);
  finish_appending(event, id, mo_position, author.name);
  return id;
}

inline void ExecutionGraph::finish_appending(Event& event, EventId id, std::uint32_t mo_position,
                                             std::uint64_t author) {
  event.name = event_name(author, event.location == no_location ? 0 : location(event.location).name, event.index);
  if (accesses_memory(event.kind)) add_access(event, id, mo_position);
  if (event.kind != EventKind::init) kept_hash_ += hash_of(event);
  if (is_seq_cst_event(event)) {
    seq_cst_events_.push_back(*arena_, id);
    has_seq_cst_events_ = true;
    keep_program_order();
  }
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
  if (writes(event.kind)) add_to_modification_order(location, event, id, mo_position);
  if (event.kind == EventKind::rmw) this->event(event.reads_from).overwritten_by = id;
  if (event.thread != no_thread) note_access(location, event, id);
}

inline void ExecutionGraph::add_to_modification_order(Location& location, Event& event, EventId id,
                                                      std::uint32_t position) {
  const auto size = static_cast<std::uint32_t>(location.modification_order.size());
  if (position >= size) {
    event.mo_position = position = size;
    location.modification_order.push_back(*arena_, id);
  } else {
    insert_in_modification_order(location, event, id, position);
  }
  if (event.thread == no_thread) location.known_to_all = id;
  if (is_seq_cst(event.order) &&
      (location.newest_seq_cst_write == no_event || this->event(location.newest_seq_cst_write).mo_position < position))
    location.newest_seq_cst_write = id;
}

inline void ExecutionGraph::note_access(Location& location, const Event& event, EventId id) {
  location.newest_access = id;
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

/// A name for the graph that does not depend on the order in which its events were executed: equal for
/// two executions exactly (up to hash collisions) if their events, po, rf, mo and synchronisation agree.
std::uint64_t canonical_hash(const ExecutionGraph& graph);
/// What canonical_hash leaves out: the values that were read and written, initial ones included. Graphs that differ in
/// nothing else are one graph to whoever counts them, but not to whoever asks whether an execution was repeated.
std::uint64_t values_hash(const ExecutionGraph& graph);

}  // namespace heddle::graph
