// An event of a run as the search keeps it. Other events are given by their position in the run's execution
// order, so a list of steps can be cut and searched without the graph, which is gone after the run. Events that no
// thread was scheduled for (plain stores that an atomic access finds in memory) are not steps: they come by themselves,
// and have a name but no position.
#pragma once

#include <cstdint>
#include <span>

#include "exploration/plan.hpp"

namespace heddle::exploration {

/// As a position: nothing, the initial value, or an event that is not a step.
inline constexpr std::uint32_t initial = 0xffffffffU;

struct Step {
  EventName name;
  graph::EventId id = graph::no_event;  ///< in this run
  graph::EventKind kind = graph::EventKind::load;
  graph::LocationId location = graph::no_location;
  std::uint32_t po_previous = initial;     ///< position
  std::uint32_t reads_from = initial;      ///< position
  std::uint32_t synchronised = initial;    ///< position: the create of a start, the finish of a join
  std::uint32_t mo_predecessor = initial;  ///< position; when it was executed
  std::uint32_t twin = initial;            ///< position: what its twin did at this point (symmetry.hpp)
  EventName source;                        ///< what it reads from
  EventName predecessor;                   ///< its mo_predecessor
  EventName floor;                         ///< the newest write before it in modification order that is no step
  std::uint32_t mo_position = 0;           ///< of what it wrote, or else read; kept up to date during the run
  std::uint32_t added = 0;
  std::uint32_t detail = 0;
  bool detail_precedes_read = false;  ///< it was chosen first; otherwise what it read decides what there is to choose
};

using Steps = std::span<const Step>;

/// Something that a run did not do and a later one has to.
struct Alternative {
  enum class Kind : std::uint8_t {
    detail,      ///< the step takes option `choice`
    reads_from,  ///< it reads from the step at `choice`
    slot,        ///< it goes behind the step at `choice` in modification order
    revisit,     ///< it reads from `choice` if it is an rmw; the step at `reader` reads from it
  };
  Kind kind = Kind::detail;
  std::uint32_t position = 0;
  std::uint32_t choice = 0;
  EventName write;                 ///< the one at `choice`; writes that are no steps have names too
  std::uint32_t reader = initial;  ///< slot, detail: of the write of a revisit, which is part of the graph
  bool keeps_reads_from = false;   ///< detail: what it reads is not open
  double share = 0;                ///< of the whole search, guessed
};

}  // namespace heddle::exploration
