// A plan: the part of an execution graph that the next run has to rebuild before it goes on by itself.
//
// Events have the names (thread, index), which mean the same in every run that agrees so far; EventIds do not.
// They stand in the order in which the run executes them, which contains program order and reads-from. The order
// in which the search added them is another one: a read that was revisited was added before the write that it
// now reads, and `added` keeps that order.
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
  std::uint32_t detail = 0;  ///< what it took for a spurious failure, a time-out, a value

  /// What is not fixed is chosen by the run, and the other options become work for later runs.
  bool fixes_detail = true;
  bool fixes_reads_from = true;
  bool fixes_slot = true;
  /// It has to succeed as a read-modify-write: as a load it would be a choice that somebody else explores.
  bool has_to_write = false;
  /// It is new in this graph as a write: it may revisit reads.
  bool revisits = false;
};

}  // namespace heddle::exploration
