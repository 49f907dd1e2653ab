// Forgetting: an execution with very many events need not keep them all. forget() drops an event if no later event can
// depend on it:
//
//   - For each location, let F be the oldest position in modification order that some live thread may still read, or
//     insert a write after: the minimum of the newest positions that live threads know. Coherence forbids going back
//     behind a known position, and knowledge only grows. So no event can read a write before F or be inserted next to
//     it, and forget() drops these writes.
//   - A read matters only as knowledge: an event that it happens before knows the write that it read. If that write is
//     at F or later, the entry in Location::accessed_by stays, once per thread and write, without the read event.
//   - Any other event matters only by what it released. The caller names the releasing events that are still needed.
//   - A retired location is dropped with all its events.
//   - The canonical hash is a sum over events. The graph keeps the sum, which includes the dropped events.
//
// Forgetting is exact with one exception: rc11's search over psc (models/psc.cpp) looks at events of any age. Once
// events were forgotten, rc11 does not search any more and does not offer the choices that would need the search.
#pragma once

#include <span>

#include "graph/execution_graph.hpp"

namespace heddle::graph {

/// A thread that may still execute events, and what it will know at least when it executes the next one.
struct Actor {
  const base::VectorClock* knows;
  ThreadId own = no_thread;  ///< the thread itself: it knows all its own events
};

struct Survivors {
  std::span<const Actor> actors;
  /// Events that the caller continues to use. forget() updates these ids in place.
  std::span<EventId* const> named;
  /// Writes that the caller continues to use, and that must stay in modification order, with all newer writes.
  std::span<EventId* const> pinned;
  /// Locations that a thread is about to access. They keep their numbers even if they are retired.
  std::span<const LocationId> in_use;
  /// If not null, an arena for events alone. forget() takes all its memory. The next call compacts the events in place,
  /// so that they never need memory twice.
  base::Arena* apart = nullptr;
};

/// The new ids of the events that forget() kept. Valid until the old arena is reset.
class Renaming {
 public:
  static constexpr std::uint32_t dropped = 0xffffffffU;

  explicit Renaming(std::span<const std::uint32_t> names) : names_(names) {}

  /// How many events there were.
  std::size_t old_size() const { return names_.size(); }
  /// no_event if forget() dropped the event, or if `old` is no_event.
  EventId operator()(EventId old) const { return old == no_event ? no_event : EventId{names_[number(old)]}; }

 private:
  std::span<const std::uint32_t> names_;  ///< by old id
};
static_assert(number(no_event) == Renaming::dropped);

}  // namespace heddle::graph
