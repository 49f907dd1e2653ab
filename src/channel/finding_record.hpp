// What a worker writes about a finding: one FindingHead, then the records that apply to its kind, in any order.
//
// Addresses are those of the worker's process; the driver turns them into names with the worker's ModuleRecords. A
// stack lists program counters, innermost first; all but the innermost are return addresses. Threads have labels: T0
// is main, T0.1 is the first thread that main created, T0.1.2 is the second thread that T0.1 created.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "channel/finding_kind.hpp"
#include "channel/frame_place.hpp"
#include "channel/record.hpp"
#include "graph/event.hpp"

namespace heddle::channel {

enum class Section : std::uint32_t { head, stack, access, object, thread, cycle, module, local, race_context, call };

enum class AccessKind : std::uint8_t {
  read,
  write,
  atomic_read,
  atomic_write,
  allocation,
  deallocation,
  synchronisation,   ///< a lock, a wait or the like, on an object in this memory
  lock,              ///< lock_order: a lock that a thread takes
  held_lock,         ///< lock_order: a lock that it holds then, and where it took that
  descriptor_use,    ///< descriptor_race
  descriptor_close,  ///< descriptor_race
};

constexpr const char* name_of(AccessKind kind) {
  constexpr const char* names[] = {"read",
                                   "write",
                                   "atomic read",
                                   "atomic write",
                                   "allocation",
                                   "free",
                                   "use as a synchronisation object",
                                   "lock",
                                   "lock that is held",
                                   "use of the descriptor",
                                   "close of the descriptor"};
  return names[static_cast<std::size_t>(kind)];
}

enum class Place : std::uint8_t { heap, stack, global, mapped };

/// What an unfinished thread does in a deadlock or a livelock.
enum class Activity : std::uint8_t {
  spins,             ///< in a loop whose reads do not change
  waits_for_object,  ///< a mutex, a condition variable, ...
  waits_for_thread,  ///< to join it
  is_before,         ///< an operation that it has not performed
};

/// A sleep or a timed wait that ended although another thread could run, or although stores of other threads were
/// not yet visible. Legal, since a thread can be delayed for any time, but rare on real machines. Or a wait for a
/// condition variable that ended without a signal, which is as legal and as rare.
struct EarlyEnd {
  enum class Kind : std::uint8_t { sleep, timed_wait, spurious_wake_up };
  Kind kind = Kind::sleep;
  std::uint64_t nanoseconds = 0;  ///< of the whole wait; spurious_wake_up: 1; 0: there was none
  std::uint64_t place = 0;        ///< which wait, a hash; 0: several waits of this kind ended early

  template <typename Coder>
  void code(Coder& coder) {
    coder("kind", kind)("nanoseconds", nanoseconds)("place", place);
  }
};

template <>
inline constexpr EarlyEnd::Kind last_enumerator<EarlyEnd::Kind> = EarlyEnd::Kind::spurious_wake_up;
template <>
inline constexpr Section last_enumerator<Section> = Section::call;
template <>
inline constexpr FindingKind last_enumerator<FindingKind> = FindingKind::linearizability;
template <>
inline constexpr LimitKind last_enumerator<LimitKind> = LimitKind::output;
template <>
inline constexpr AccessKind last_enumerator<AccessKind> = AccessKind::descriptor_close;
template <>
inline constexpr Place last_enumerator<Place> = Place::mapped;
template <>
inline constexpr Activity last_enumerator<Activity> = Activity::is_before;
template <>
inline constexpr graph::MemoryOrder last_enumerator<graph::MemoryOrder> = graph::MemoryOrder::seq_cst;

/// The types of the parts of a finding in the channel: its words, and views of them. The driver has types of its own
/// (findings/finding.hpp).
struct InChannel {
  using Text = std::string_view;
  using Stack = Words;
  using Address = std::uint64_t;
  using MaybeAddress = std::uint64_t;  ///< 0: none
  using MaybeNumber = std::uint64_t;   ///< 0: none
};

/// Every finding has one.
template <typename In>
struct FindingHeadOf {
  static constexpr Section section = Section::head;
  FindingKind kind = FindingKind::crash;
  LimitKind limit = LimitKind::none;
  bool after_race = false;          ///< the execution had a data race before
  bool message_names_kind = false;  ///< "assertion failed: ...": a headline needs no kind in front
  bool is_warning = false;          ///< it does not make the run fail
  std::uint8_t exit_status = 0;     ///< kind exit_status: the status
  std::uint64_t events = 0;         ///< of the execution so far
  typename In::MaybeNumber graph_events =
      {};                          ///< of its graph, which has initial writes, too; 0: the graph was compacted
  EarlyEnd early_end = {};         ///< the longest of the execution so far
  typename In::Text thread = {};   ///< that showed it; empty: none
  typename In::Text message = {};  ///< one sentence without a full stop

  template <typename Coder>
  void code(Coder& coder) {
    coder("kind", kind)("limit", limit)("after_race", after_race)("message_names_kind", message_names_kind)(
        "is_warning", is_warning)("exit_status", exit_status)("events", events)("graph_events", graph_events)(
        "early_end", early_end)("thread", thread)("message", message);
  }
};
using FindingHead = FindingHeadOf<InChannel>;

/// Where the finding is. Findings that have accesses have no stack of their own.
struct StackRecord {
  static constexpr Section section = Section::stack;
  Words stack;

  template <typename Coder>
  void code(Coder& coder) {
    coder.fields(stack);
  }
};

/// Race, use after free: two of these, the later access first.
template <typename In>
struct AccessOf {
  static constexpr Section section = Section::access;
  AccessKind kind = AccessKind::read;
  graph::MemoryOrder order = graph::MemoryOrder::plain;
  std::uint64_t size = 0;
  typename In::Address address = {};
  typename In::Text thread;
  typename In::Stack stack;

  template <typename Coder>
  void code(Coder& coder) {
    coder("kind", kind)("size", size)("order", order)("thread", thread)("address", address)("stack", stack);
  }
};
using FindingAccess = AccessOf<InChannel>;

/// Where an address of the other records lies in the frame of a function.
struct LocalRecord {
  static constexpr Section section = Section::local;
  std::uint64_t address = 0;
  FramePlace place;

  template <typename Coder>
  void code(Coder& coder) {
    coder.fields(address, place);
  }
};

/// The memory that the finding is about.
template <typename In>
struct MemoryObjectOf {
  static constexpr Section section = Section::object;
  Place place = Place::global;
  typename In::Address address = {};
  std::uint64_t block = 0;       ///< heap, mapped: the address of the block
  std::uint64_t block_size = 0;  ///< heap, mapped
  typename In::Text thread;      ///< heap, mapped: that allocated it; stack: whose stack it is; empty: not known
  typename In::Stack stack;      ///< heap, mapped: where it was allocated

  template <typename Coder>
  void code(Coder& coder) {
    coder("place", place)("address", address)("block", block)("block_size", block_size)("thread", thread)("stack",
                                                                                                          stack);
  }
};
using ObjectRecord = MemoryObjectOf<InChannel>;

/// Deadlock, livelock: one for each unfinished thread.
template <typename In>
struct ThreadStateOf {
  static constexpr Section section = Section::thread;
  typename In::Text thread;
  Activity activity = Activity::spins;
  typename In::Text what;                 ///< the kind of the object or the operation, for people; empty if it spins
  typename In::MaybeAddress object = {};  ///< the address of what it waits for; 0: none
  typename In::Text held_by;  ///< the thread that must act before this one can continue; empty: no single one
  typename In::Stack stack;

  template <typename Coder>
  void code(Coder& coder) {
    coder("thread", thread)("activity", activity)("what", what)("object", object)("held_by", held_by)("stack", stack);
  }
};
using FindingThread = ThreadStateOf<InChannel>;

/// Deadlock with a cycle in the wait-for relation: one for each thread of the cycle, in its order.
struct CycleRecord {
  static constexpr Section section = Section::cycle;
  std::string_view thread;

  template <typename Coder>
  void code(Coder& coder) {
    coder.fields(thread);
  }
};

/// Which races the execution had before the finding, and which accesses were events because they had raced.
struct RaceContextRecord {
  static constexpr Section section = Section::race_context;
  Words races;  ///< keys
  Words sites;  ///< Modules::canonical()

  template <typename Coder>
  void code(Coder& coder) {
    coder.fields(races, sites);
  }
};

/// linearizability: one for each call of the history, in the order in which they began.
template <typename In>
struct CallOf {
  static constexpr Section section = Section::call;
  typename In::Text thread;
  typename In::Text text;       ///< "pop() = empty"
  std::uint64_t before = 0;     ///< bit n: the n-th call of the list comes before this one
  std::uint64_t reasons = 0;    ///< bit n: and that is one of the reasons why no order explains the history
  bool is_unexplained = false;  ///< one of the calls whose results no order explains together

  template <typename Coder>
  void code(Coder& coder) {
    coder("thread", thread)("call", text)("before", before)("reasons", reasons)("is_unexplained", is_unexplained);
  }
};
using CallRecord = CallOf<InChannel>;

/// A file that the worker's process has loaded. An address in [begin, end) is address - base in the file.
struct ModuleRecord {
  static constexpr Section section = Section::module;
  std::string_view path;
  std::uint64_t base = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::string_view build_id;  ///< hexadecimal; empty: it has none
  bool is_instrumented = false;
  bool is_foreign = false;  ///< not the program's file, nor of the C library, the C++ library or heddle
  bool is_trusted = false;  ///< --trust names it

  template <typename Coder>
  void code(Coder& coder) {
    coder.fields(path, base, begin, end, build_id, is_instrumented, is_foreign, is_trusted);
  }
};

}  // namespace heddle::channel
