// What the threads of a program do, learnt from its executions. What a thread does next is a function of what it has
// read so far. So each thread has a tree: a branch for each result of an operation, and below it the segment that
// follows, up to the next operation. A thread that is created has its tree below the operation that creates it.
//
// An execution whose segments are all known can be made without running the program
// (engine/transcripts/transcript_run.hpp).
//
// Threads that have read different values may come to the same state. Then they do the same from there on, and share
// one future. The caller recognises states by a key.
//
// Code without instrumentation, and compilers for some copies, access memory without an announcement. So a segment is
// known for certain contents of memory only: those with which the program was seen to execute it (has_seen).
//
// Plain reads are the second input of a thread. A segment lists its plain accesses with the values that they found. A
// branch has a segment for each combination of such values, its variants. At most one of them fits the memory of an
// execution (PlainBytes), since the program is deterministic up to the first value that differs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/arena.hpp"
#include "graph/event.hpp"
#include "memory/memory.hpp"
#include "transcript/plain_bytes.hpp"

namespace heddle::transcript {

/// A location of the program's atomics: the same in every execution.
struct Place {
  std::uintptr_t address = 0;
  std::uint64_t name = 0;
  std::uint8_t size = 0;
  WordId word{};
  Bytes bytes = 0;
};
inline constexpr std::uint32_t no_place = 0xffffffffU;

/// The operation that a thread comes to.
struct Action {
  enum class Kind : std::uint8_t { load, store, modify, compare_exchange, fence, create, join, finish, exit };

  Kind kind = Kind::load;
  graph::MemoryOrder order = graph::MemoryOrder::plain;
  graph::MemoryOrder failure_order = graph::MemoryOrder::plain;
  std::uint8_t operation = 0;  ///< of the event: an engine::Operation
  std::uint32_t place = no_place;
  std::uint64_t site = 0;
  graph::Value operand = 0;                   ///< what is stored, added, ...; compare_exchange: the desired value
  graph::Value expected = 0;                  ///< compare_exchange
  graph::ThreadId joined = graph::no_thread;  ///< join: the thread
  std::uint64_t result = 0;                   ///< finish: what a join of the thread returns

  friend bool operator==(const Action&, const Action&) = default;
};

/// Whether the thread performs its operation or waits.
struct Waiting {
  bool is_parked = false;               ///< it waits, for the rest of the execution
  bool need_not_go_on = false;          ///< another execution stands for those in which it performs the operation
  std::uint32_t loop_length = 0;        ///< its events within this distance of its newest index are the loop
  std::uint32_t failed_emulations = 0;  ///< graph::ExecutionGraph::DriverNote

  friend bool operator==(const Waiting&, const Waiting&) = default;
};

struct Segment;

struct Branch {
  graph::Value value = 0;  ///< the operation's result
  bool succeeded = true;
  Segment* variants = nullptr;
  Branch* next = nullptr;  ///< another result of the operation
};

/// The results of one operation that are known. A few are found by looking at each; many have a table.
class Results {
 public:
  Branch& find_or_add(base::Arena& arena, graph::Value value, bool succeeded);

 private:
  static constexpr std::size_t many = 8;
  struct Slot {
    Branch* branch = nullptr;
  };
  static Slot& slot_in(std::span<Slot> table, graph::Value value, bool succeeded);
  void add_to_table(base::Arena& arena, Branch& branch);

  Branch* first_ = nullptr;
  std::size_t count_ = 0;
  std::span<Slot> table_;  ///< by hash of the result; at least half of it is null
};

/// What follows an operation.
struct Future {
  Results results;
  /// create: the new thread, which is known when it was created for the first time.
  struct Child {
    graph::ThreadId thread = graph::no_thread;
    std::uint64_t name = 0, rank = 0;
    Branch beginning;
  };
  Child child;
  /// compare_exchange: nothing, before it was performed for the first time.
  std::optional<memory::SpuriousFailure> spurious_failure;
};

struct Segment {
  std::span<const PlainAccess> accesses;
  /// The thread does something that is not told here.
  bool is_opaque = false;
  Action action;
  Waiting waiting;
  std::uintptr_t stack_pointer = 0;  ///< the frames of the program are above this
  /// modify: Event::use_of_result. Executions with the same reads may give it different numbers, each of them right.
  std::uint16_t use_of_result = 0;
  Future* future = nullptr;
  Segment* next_variant = nullptr;
};

class Transcript {
 public:
  explicit Transcript(base::Arena& arena) : arena_(arena) {}

  /// The beginning of the main thread.
  Branch& root() { return root_; }
  Branch& branch_of(Future& future, graph::Value value, bool succeeded) {
    return future.results.find_or_add(arena_, value, succeeded);
  }
  /// The variant that equals this segment, which is added if there is none. Null: another variant found the same values
  /// and did something else, so the thread is not a function of what it reads.
  /// `state` is a key of the state of the thread at the end of the segment; 0: it is not known.
  Segment* find_or_add(Branch& branch, const Segment& segment, std::uint64_t state);

  /// The program has executed the segment with these contents of memory at its beginning (PlainBytes::contents).
  void see(const Segment& segment, std::uint64_t contents);
  bool has_seen(const Segment& segment, std::uint64_t contents) const;

  std::uint32_t place(const Place& place);
  const Place& place(std::uint32_t index) const { return places_[index]; }
  std::size_t places() const { return places_.size(); }

 private:
  static constexpr std::size_t buckets = std::size_t{1} << 14;
  struct KnownState {
    std::uint64_t key = 0;
    Future future;
    KnownState* next = nullptr;
  };
  Future& future_of(std::uint64_t state);
  static std::uint64_t key_of(const Segment& segment, std::uint64_t contents);
  static std::uint64_t& place_in(std::span<std::uint64_t> table, std::uint64_t key);

  base::Arena& arena_;
  Branch root_;
  struct Bucket {
    KnownState* first = nullptr;
  };
  std::span<Bucket> states_;       ///< by hash of the key
  std::span<std::uint64_t> seen_;  ///< keys of segments with contents, at the place of their low bits; 0: free
  std::size_t seen_count_ = 0;
  base::ArenaVector<Place> places_;
};

}  // namespace heddle::transcript
