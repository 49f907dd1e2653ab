// Events: the visible operations of an execution. Many fields: one struct for all kinds, which are kept by value.
//
// Indices. The visible events of a thread have the indices 2, 4, 6, ... in program order. Plain accesses are not
// events. A plain access between the events 2n and 2n+2 has the odd index 2n+1, and the race check compares it by that
// index. A plain store that a later atomic access finds in memory becomes an event with that odd index. So one
// comparison decides happens-before for both kinds: clock[thread] >= index.
#pragma once

#include <cstdint>
#include <span>

#include "base/vector_clock.hpp"

namespace heddle::graph {

enum class ThreadId : std::uint32_t {};
enum class LocationId : std::uint32_t {};
enum class EventId : std::uint32_t {};  ///< position in execution order

inline constexpr ThreadId no_thread{0xffffffffU};  ///< also the thread of init events
inline constexpr LocationId no_location{0xffffffffU};
inline constexpr EventId no_event{0xffffffffU};

constexpr std::uint32_t number(ThreadId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t number(LocationId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t number(EventId id) { return static_cast<std::uint32_t>(id); }

/// Wide enough for every atomic access (16 bytes); narrower values are zero-extended.
using Value = unsigned __int128;

enum class EventKind : std::uint8_t {
  // Kinds that access memory come first: accesses_memory() is one comparison.
  init,   ///< the initial value of a location; happens before every other event
  load,   ///< also a failed compare-exchange
  store,  ///< also a plain store that an atomic access found in memory (order: plain)
  rmw,    ///< a successful read-modify-write
  fence,
  lock,    ///< acquires from a synchronisation object: mutex lock, semaphore wait, barrier exit, ...
  unlock,  ///< releases to a synchronisation object: mutex unlock, semaphore post, barrier entry, once done, ...
  create,
  start,
  join,
  finish,
};

/// The order of lock and unlock events is `plain`, or acq_rel if x86 makes them without a barrier. `plain`, then the
/// order of the C standard's enumeration. Traces and hashes contain the numbers.
enum class MemoryOrder : std::uint8_t { plain, relaxed, consume, acquire, release, acq_rel, seq_cst };

constexpr bool is_acquire(MemoryOrder order) {
  return order == MemoryOrder::consume || order == MemoryOrder::acquire || order >= MemoryOrder::acq_rel;
}
constexpr bool is_release(MemoryOrder order) { return order >= MemoryOrder::release; }
constexpr bool is_seq_cst(MemoryOrder order) { return order == MemoryOrder::seq_cst; }

/// Whether a load is a compare-exchange that failed, and what it would have been. Some machines lock memory for it.
/// plain_look: a step on a synchronisation object that leaves the state as it is, and that x86 makes with a plain load.
enum class FailedExchange : std::uint8_t { no, weaker_than_release, release, plain_look };

struct Event {
  EventKind kind = EventKind::load;
  MemoryOrder order = MemoryOrder::plain;
  std::uint8_t size = 0;       ///< bytes accessed
  std::uint8_t operation = 0;  ///< an engine::Operation, for reports; the core ignores it
  ThreadId thread = no_thread;
  std::uint32_t index = 0;  ///< see "Indices" above; 0 for init
  LocationId location = no_location;
  EventId reads_from = no_event;      ///< load, rmw: the write whose value it read
  std::uint32_t mo_position = 0;      ///< writes: position in modification order; 0: init, or in a store buffer
  EventId overwritten_by = no_event;  ///< writes: the rmw that reads this write (atomicity allows one)
  std::uint32_t stack = 0;            ///< an interned call stack, 0 if unknown
  std::uint64_t site = 0;             ///< the program counter
  std::uint64_t name = 0;             ///< canonical name; set by the graph, see graph/event_hash.hpp
  FailedExchange failed_exchange = FailedExchange::no;  ///< load
  bool failed_spuriously = false;   ///< load: a compare-exchange that failed although it read the expected value
  std::uint16_t use_of_result = 0;  ///< rmw: what the driver knows of it; the graph does not look at it
  Value read = 0;
  Value written = 0;
  /// The events of other threads that happen before this event. Program order gives those of its own thread.
  const base::VectorClock* clock = base::VectorClock::empty();
  /// What an acquire read of this write, or an acquire after this unlock, learns. Null: nothing.
  const base::VectorClock* released = nullptr;
  /// Synchronisation objects, start and join: the releasing events that this event synchronises with.
  std::span<const EventId> synchronised = {};
};

constexpr bool reads(EventKind kind) { return kind == EventKind::load || kind == EventKind::rmw; }
constexpr bool accesses_memory(EventKind kind) { return kind <= EventKind::rmw; }
constexpr bool writes(EventKind kind) { return accesses_memory(kind) && kind != EventKind::load; }

inline bool is_failed_exchange(const Event& event) { return event.failed_exchange != FailedExchange::no; }

/// A lock or unlock that is a plain load or store on x86.
inline bool lacks_barrier(const Event& event) {
  return (event.kind == EventKind::lock || event.kind == EventKind::unlock) && event.order == MemoryOrder::acq_rel;
}

/// An event of this kind releases everything that happens before it.
constexpr bool releases(EventKind kind) {
  return kind == EventKind::unlock || kind == EventKind::create || kind == EventKind::finish;
}

/// A store that a store buffer holds: it has no position in modification order yet.
inline bool is_buffered(const Event& event) { return event.kind == EventKind::store && event.mo_position == 0; }

inline bool is_seq_cst_fence(const Event& event) { return event.kind == EventKind::fence && is_seq_cst(event.order); }
inline bool is_seq_cst_event(const Event& event) {
  return is_seq_cst(event.order) && (accesses_memory(event.kind) || event.kind == EventKind::fence);
}

/// Whether a happens before b. Both are events of one execution whose clocks are set.
inline bool happens_before(const Event& a, const Event& b) {
  if (a.thread == no_thread) return b.thread != no_thread;
  if (b.thread == no_thread) return false;
  if (a.thread == b.thread) return a.index < b.index;
  return (*b.clock)[number(a.thread)] >= a.index;
}

}  // namespace heddle::graph
