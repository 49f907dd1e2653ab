// An event of a run as the search keeps it. A step refers to other events by their position in the run's execution
// order. So the search can cut and examine a list of steps without the graph, which is gone after the run. Events that
// no thread was scheduled for (plain stores that an atomic access finds in memory) are not steps. A run adds them by
// itself; they have a name but no position. Many fields: a step tells what the graph would.
#pragma once

#include <cstdint>
#include <span>

#include "exploration/graph_plan.hpp"

namespace heddle::exploration {

/// As a position: no event, the initial value, or an event that is not a step.
inline constexpr std::uint32_t initial = 0xffffffffU;

struct Step {
  EventName name;
  graph::EventId id = graph::no_event;  ///< in this run
  graph::EventKind kind = graph::EventKind::load;
  graph::LocationId location = graph::no_location;
  std::uint32_t po_previous = initial;  ///< position
  std::uint32_t reads_from = initial;   ///< position
  /// Position: the create of a start, the finish of a join, the newest of several events.
  std::uint32_t synchronised = initial;
  /// Position: the next of several events that a later event synchronises with.
  std::uint32_t synchronised_before = initial;
  std::uint32_t mo_predecessor = initial;  ///< position; at the time of execution
  std::uint32_t twin = initial;            ///< position of the elder twin's event at this point (symmetry.hpp)
  EventName source;                        ///< the write that it reads from
  EventName predecessor;                   ///< its mo_predecessor
  EventName floor;                         ///< the newest write before it in modification order that is not a step
  std::uint32_t mo_position = 0;           ///< of the write that it made or read; kept up to date during the run
  std::uint32_t added = 0;
  std::uint32_t last_added = 0;  ///< the largest `added` of the steps up to this one
  std::uint32_t detail = 0;
  /// A step that was added earlier waits because of this one and was left out: see exploration.hpp.
  bool overtakes = false;
  bool is_inserted = false;           ///< when it was made, it was not the newest write of its location
  bool may_wait = false;              ///< it is a step of a synchronisation object (strategies::WaitingSteps)
  bool detail_precedes_read = false;  ///< the detail was chosen before the write; otherwise its options depend on it
};

using Steps = std::span<const Step>;

/// An option that a run did not take and that a later run has to take.
struct Alternative {
  enum class Kind : std::uint8_t {
    detail,      ///< the step takes option `choice`
    reads_from,  ///< it reads from the step at `choice`
    slot,        ///< it follows the step at `choice` in modification order
    revisit,     ///< the step at `reader` reads from it; if it is an rmw, it reads from `choice`
  };
  Kind kind = Kind::detail;
  std::uint32_t position = 0;
  std::uint32_t choice = 0;
  EventName write;                 ///< the write at `choice`; writes that are not steps have names, too
  std::uint32_t reader = initial;  ///< revisit: the read; slot, detail: the read, if the step is the write of a revisit
  bool keeps_reads_from = false;   ///< detail: the write that it reads is fixed
  double share = 0;                ///< the estimated share of the whole search
};

}  // namespace heddle::exploration
