// What a worker writes about one whole execution, for the driver's story::ExecutionLog: typed records, at
// recordings_offset, first a LogHead, then the others in any order. Only replays write them, with Recording::log.
//
// An execution whose graph dropped events (engine/compactor.hpp) has a LogHead without events: it is too long.
#pragma once

#include <cstdint>
#include <string_view>

#include "channel/finding_record.hpp"
#include "channel/frame_place.hpp"
#include "channel/record.hpp"
#include "graph/event.hpp"

namespace heddle::channel {

enum class LogSection : std::uint32_t { head, thread, location, event, plain_access, decision, local };

template <>
inline constexpr LogSection last_enumerator<LogSection> = LogSection::local;
template <>
inline constexpr graph::EventKind last_enumerator<graph::EventKind> = graph::EventKind::finish;

/// In place of a thread, a location or an event: there is none.
inline constexpr std::uint32_t log_nothing = 0xffffffffU;

struct LogHead {
  static constexpr LogSection section = LogSection::head;
  std::uint64_t events = 0;    ///< of the execution, in the graph
  std::uint64_t left_out = 0;  ///< records that are missing; not 0: the log is not complete

  template <typename Coder>
  void code(Coder& coder) {
    coder.fields(events, left_out);
  }
};

struct LoggedThread {
  static constexpr LogSection section = LogSection::thread;
  std::uint32_t number = 0;  ///< graph::ThreadId
  std::string_view label;
  std::uint64_t stack_begin = 0;  ///< its stack is [stack_begin, stack_end)
  std::uint64_t stack_end = 0;

  template <typename Coder>
  void code(Coder& coder) {
    coder.fields(number, label, stack_begin, stack_end);
  }
};

/// Where an address lies in the frame of a function that its thread was in when it was accessed.
struct LoggedLocal {
  static constexpr LogSection section = LogSection::local;
  std::uint64_t address = 0;
  FramePlace place;

  template <typename Coder>
  void code(Coder& coder) {
    coder.fields(address, place);
  }
};

/// A location of the graph: an atomic variable or a synchronisation object.
struct LoggedLocation {
  static constexpr LogSection section = LogSection::location;
  std::uint32_t number = 0;   ///< graph::LocationId
  std::uint64_t address = 0;  ///< 0: it has none, as a file of the kernel
  std::uint64_t size = 0;     ///< atomics; 0: a synchronisation object
  std::string_view object;    ///< the kind of a synchronisation object, for people; empty: an atomic

  template <typename Coder>
  void code(Coder& coder) {
    coder.fields(number, address, size, object);
  }
};

struct LoggedEvent {
  static constexpr LogSection section = LogSection::event;
  std::uint32_t number = 0;  ///< graph::EventId: the place in the order of execution
  std::uint64_t step = 0;    ///< see engine/recording/debug_state.hpp; 0: it is none
  graph::EventKind kind = graph::EventKind::load;
  graph::MemoryOrder order = graph::MemoryOrder::plain;
  std::uint32_t size = 0;
  std::uint32_t thread = log_nothing;  ///< none: the initial value of a location
  std::uint32_t index = 0;             ///< see graph/event.hpp
  std::uint32_t location = log_nothing;
  std::uint32_t reads_from = log_nothing;
  std::uint32_t mo_position = 0;
  bool failed_exchange = false;
  bool failed_spuriously = false;
  std::uint64_t read[2] = {};     ///< the low and the high half
  std::uint64_t written[2] = {};  ///< the low and the high half
  std::string_view operation;     ///< for people: "mutex lock", "atomic fetch_add"
  Words stack;                    ///< innermost first
  Words clock;                    ///< by thread: the newest index of that thread that happens before
  Words synchronised;             ///< the releasing events of other threads that it synchronises with, of objects

  template <typename Coder>
  void code(Coder& coder) {
    coder.fields(number, step, kind, order, size, thread, index, location, reads_from, mo_position, failed_exchange,
                 failed_spuriously, read[0], read[1], written[0], written[1], operation, stack, clock, synchronised);
  }
};

/// A plain read or write, an allocation or a free.
struct LoggedPlainAccess {
  static constexpr LogSection section = LogSection::plain_access;
  AccessKind kind = AccessKind::read;
  std::uint32_t events_before = 0;  ///< events of the graph that were executed before it
  std::uint32_t thread = 0;
  std::uint32_t index = 0;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
  bool has_value = false;
  std::uint64_t value = 0;  ///< that it read or wrote, if `has_value`
  Words stack;
  Words clock;
  std::uint64_t step = 0;  ///< see engine/recording/debug_state.hpp

  template <typename Coder>
  void code(Coder& coder) {
    coder.fields(kind, events_before, thread, index, address, size, has_value, value, step, stack, clock);
  }
};

struct LoggedDecision {
  static constexpr LogSection section = LogSection::decision;
  std::uint32_t kind = 0;              ///< strategies::ChoiceKind
  std::uint32_t events_before = 0;     ///< events of the graph that were executed before it
  std::uint32_t thread = log_nothing;  ///< thread choices: the thread that ran before; others: that executes the event
  std::uint32_t options = 0;
  std::uint32_t index = 0;      ///< of the option that was taken
  bool could_continue = false;  ///< thread choices: `thread` was among the options

  template <typename Coder>
  void code(Coder& coder) {
    coder.fields(kind, events_before, thread, options, index, could_continue);
  }
};

}  // namespace heddle::channel
