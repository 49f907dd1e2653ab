// A plan: the part of an execution graph that the next run has to rebuild before it continues by itself.
//
// Events are named by (thread, index), which means the same event in every run that agrees so far. EventIds do not. The
// plan lists events in the order in which the run executes them, which contains program order and reads-from. The order
// in which the search added them differs: a revisited read was added before the write that it now reads. `added` keeps
// that order.
#pragma once

#include <cstdint>

#include "graph/event.hpp"

namespace heddle::exploration {

/// (no_thread, 0) is the initial value of the location in question.
struct EventName {
  graph::ThreadId thread = graph::no_thread;
  std::uint32_t index = 0;

  friend bool operator==(const EventName&, const EventName&) = default;
};

inline EventName name_of(const graph::Event& event) { return {event.thread, event.index}; }

struct PlannedEvent {
  EventName name;
  EventName reads_from;      ///< load, rmw
  EventName mo_predecessor;  ///< store: the write it follows in modification order when it is executed
  std::uint32_t added = 0;   ///< its place in the order of the search
  std::uint32_t detail = 0;  ///< the option of a spurious, timeout or value choice

  /// If a decision is not fixed, the run takes the maximal option, and the others become alternatives.
  bool fixes_detail = true;
  bool fixes_reads_from = true;
  bool fixes_slot = true;
  /// The event has to be a successful read-modify-write. As a load it would belong to a graph that another run visits.
  bool has_to_write = false;
  /// The event is new in this graph as a write, so it may revisit reads.
  bool revisits = false;
  /// The event is a read-modify-write that is revisited. If it has to wait in the new state, it is not a part of the
  /// graph: see exploration.hpp on steps that wait.
  bool may_wait = false;
  /// As in Step.
  bool overtakes = false;
};

}  // namespace heddle::exploration
