// One whole execution as data: what a replay with channel::Recording::log hands to the driver. Stories, diagnoses and
// pictures are made from it. Many fields: one struct for all kinds of events.
//
// `events` is in the order of execution. It has the events of the execution graph (see graph/event.hpp) and the plain
// accesses that matter: those to bytes that several threads access and at least one of them writes, and the allocation
// and free of the blocks that these are in. Initial values of locations come first, without a thread.
//
// The log does not change after decode_execution_log(), and refers to nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "findings/finding.hpp"
#include "findings/symbolizer.hpp"
#include "graph/event.hpp"

namespace heddle::story {

using graph::MemoryOrder;
using EventNumber = std::size_t;     ///< a position in ExecutionLog::events
using ThreadNumber = std::size_t;    ///< a position in ExecutionLog::threads
using LocationNumber = std::size_t;  ///< a position in ExecutionLog::locations

enum class EventKind : std::uint8_t {
  init,  ///< the initial value of a location
  load,
  store,
  rmw,
  failed_exchange,  ///< a compare-exchange that found another value, or failed for no reason
  fence,
  lock,    ///< acquires from a synchronisation object: mutex lock, semaphore wait, barrier exit, ...
  unlock,  ///< releases to a synchronisation object
  create,
  start,
  join,
  finish,
  other,  ///< a choice of a value, and the like
  plain_read,
  plain_write,
  allocation,
  free,
};

/// "load", "store", "plain read", ...
const char* name_of(EventKind kind);

struct Thread {
  std::string label;  ///< T0, T0.1
};

/// Memory that events access: an atomic, a synchronisation object, or bytes that are accessed plainly.
struct Location {
  findings::DataAddress address;  ///< its value is 0 for an object of the kernel
  std::size_t size = 0;           ///< bytes; 0: a synchronisation object
  std::string object;             ///< the kind of a synchronisation object ("mutex"); empty: a variable
  std::string name;               ///< for people, without quotation marks: "ready", "table+8", "heap block of T0 +8"
  std::string type;               ///< as the source names it; empty: not known
  findings::Place place = findings::Place::global;
  std::optional<EventNumber> allocation;        ///< heap: the event that allocated its block, if the log has it
  std::vector<EventNumber> modification_order;  ///< atomics: the writes, oldest first, `init` included
};

struct Event {
  EventKind kind = EventKind::load;
  MemoryOrder order = MemoryOrder::plain;
  std::string operation;               ///< for people: "atomic fetch_add", "mutex lock", "read"
  std::optional<ThreadNumber> thread;  ///< none: init, or a write of code that heddle does not see
  std::uint32_t index = 0;             ///< in its thread: see graph/event.hpp
  std::uint64_t step = 0;              ///< of the execution, where a debugger can stop it; 0: nowhere
  std::uint64_t events_before = 0;     ///< events of the graph that were executed before it
  std::optional<LocationNumber> location;
  std::size_t size = 0;
  std::optional<graph::Value> read;
  std::optional<graph::Value> written;
  bool failed_spuriously = false;  ///< failed_exchange: although it read the expected value

  std::optional<EventNumber> reads_from;
  std::size_t mo_position = 0;  ///< writes: in Location::modification_order
  /// Writes to its location that were executed before this read, and that are newer in modification order than the one
  /// that it reads. If there are any, the read is stale: sequential consistency does not allow it.
  std::vector<EventNumber> missed;
  /// Writes to its location that were executed before this write, and that follow it in modification order all the
  /// same.
  std::vector<EventNumber> placed_before;
  /// Events of other threads that synchronise with this one (sw edges that end here).
  std::vector<EventNumber> synchronises_with;
  std::vector<std::uint32_t> clock;  ///< by graph thread; see happens_before()

  bool is_switch = false;      ///< another thread ran directly before
  bool is_preemption = false;  ///< and that thread could have continued
  std::size_t options = 0;     ///< reads: among how many writes the read was chosen; 0: there was no choice

  findings::Stack stack;

  bool is_stale() const { return !missed.empty(); }
  bool reads_memory() const {
    return kind == EventKind::load || kind == EventKind::rmw || kind == EventKind::failed_exchange;
  }
  bool is_plain() const { return kind >= EventKind::plain_read; }
};

struct ExecutionLog {
  std::vector<Thread> threads;
  std::vector<Location> locations;
  std::vector<Event> events;

  bool has_one_file = false;    ///< all places of the user's source are in one file
  std::size_t switches = 0;     ///< events with is_switch
  std::size_t preemptions = 0;  ///< events with is_preemption
  std::size_t stale_reads = 0;  ///< events with missed writes, or that were placed before others

  /// Drops the events from position `end` on.
  void cut_off(EventNumber end);
  bool happens_before(EventNumber a, EventNumber b) const;
  /// The newest event of the thread before position `end`; nothing if there is none.
  std::optional<EventNumber> last_of(ThreadNumber thread, EventNumber end) const;

  std::vector<graph::Value> pointers;        ///< values that look like addresses, in the order of their appearance
  std::vector<std::uint32_t> graph_threads;  ///< the graph's number of each thread, for `clock`
};

/// Either a log, or a sentence without a full stop that says why there is none.
struct DecodedLog {
  std::optional<ExecutionLog> log;
  std::string why_not;
};

/// `bytes` are ChannelMemory::recordings(); trusts nothing in them. `modules` are those of the worker.
DecodedLog decode_execution_log(std::span<const std::byte> bytes, const findings::ModuleMap& modules,
                                findings::Symbolizer& symbolizer);

}  // namespace heddle::story
