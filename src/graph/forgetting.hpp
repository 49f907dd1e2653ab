// Forgetting: an execution of very many events need not keep them all. An event goes when nothing that is still to come
// can depend on it:
//
//   - Let F be the oldest place in a location's modification order that some thread may still read from or write
//     behind: the least of what those who may still act know of it (coherence: nobody goes back behind what he knows,
//     and knowledge only grows). Writes before F can neither be read nor get a new neighbour. They go.
//   - A read matters as knowledge only: "whoever knows of it knows the write it read". That stays, without the event,
//     if the write is at F or behind it, once for each thread and write.
//   - Every other event matters by what it released. The newest of each synchronisation object and thread are named by
//     those who call.
//   - A location whose memory has become something else goes with all its events.
//   - The canonical hash is a sum over events, and kept as such: what goes has been added up.
//
// This is exact, with one exception: the search over psc (models/psc.cpp) looks at events of any age. Once something
// was forgotten it is not made any more, as beyond its limit of seq_cst events: choices that would need it are not
// offered.
#pragma once

#include <span>

#include "graph/execution_graph.hpp"

namespace heddle::graph {

/// Somebody who may still act, and what he will know at least when he does.
struct Actor {
  const base::VectorClock* knows;
  ThreadId own = no_thread;  ///< of which he knows everything
};

struct Survivors {
  std::span<const Actor> actors;
  /// Events that the caller goes on to use; they are renamed in place.
  std::span<EventId* const> named;
  /// Writes among them that must keep their place in modification order, with all that is behind them.
  std::span<EventId* const> pinned;
  /// Locations that somebody is about to access, as far as he knows: they keep their numbers, even if they are retired.
  std::span<const LocationId> in_use;
  /// Where events lie from now on, if not null, and nothing else: what survives another time then moves together there,
  /// and is never there twice. All of it is taken at once.
  base::Arena* apart = nullptr;
};

}  // namespace heddle::graph
