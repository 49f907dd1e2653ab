// An execution as the transcript sees it: where each thread is in its tree, what plain memory holds, and which places
// are locations of the graph. The execution may be one of the program, which is transcribed, or one that is made from
// the transcript. Either way it can be taken back to any of its steps, as the graph can (graph::ExecutionGraph::cut).
#pragma once

#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "graph/execution_graph.hpp"
#include "strategies/strategy.hpp"
#include "transcript/plain_bytes.hpp"
#include "transcript/transcript.hpp"

namespace heddle::transcript {

/// A thread of the execution.
struct Cursor {
  enum class State : std::uint8_t {
    moving,   ///< it has performed an operation, and comes to the next: a segment below `branch`
    arrived,  ///< it is about to perform the action of `segment`
    parked,   ///< it waits there for the rest of the execution
    ended,
  };
  graph::ThreadId thread{};
  State state = State::moving;
  std::uint64_t rank = 0;  ///< the order in which threads are offered to strategies
  Branch* branch = nullptr;
  Segment* segment = nullptr;
  graph::EventId created = graph::no_event;
  graph::EventId finished = graph::no_event;
  std::uint64_t result = 0;  ///< of a thread that has ended
  strategies::PendingOperation pending;
};

class RunState {
 public:
  RunState(base::Arena& arena, const graph::ExecutionGraph& graph)
      : arena_(arena), graph_(graph), transcript_(arena), bytes_(arena) {}

  Transcript& transcript() { return transcript_; }
  PlainBytes& bytes() { return bytes_; }

  /// A new execution, whose main thread is about to begin.
  void begin(graph::ThreadId main);
  /// Takes the execution back to where it was after so many steps. There are at least as many.
  void take_back(std::size_t steps);
  std::size_t steps() const { return marks_.size(); }

  std::size_t size() const { return cursors_.size(); }
  Cursor& cursor(graph::ThreadId thread) { return cursors_[index_[number(thread)]]; }
  bool has(graph::ThreadId thread) const { return number(thread) < index_.size() && index_[number(thread)] != absent; }
  std::span<const Cursor> cursors() const { return cursors_.span(); }
  /// The cursors by rank.
  std::span<const std::uint32_t> by_rank() const { return by_rank_.span(); }
  const Cursor& at(std::uint32_t index) const { return cursors_[index]; }

  /// The thread that performed the newest step, if it has not come to its next operation; null otherwise.
  Cursor* moving();
  /// The author of plain accesses that the thread makes now.
  Author author(graph::ThreadId thread) const {
    const graph::Thread& author = graph_.thread(thread);
    return {thread, author.plain_index(), author.clock};
  }

  /// The thread has come to its next operation.
  void arrive(Cursor& cursor, Segment& segment);
  /// The thread has performed its action, as this event: a step of the execution.
  void performed(Cursor& cursor, const graph::Event& event, graph::EventId id);

  graph::LocationId location(std::uint32_t place) const {
    return place < locations_.size() ? locations_[place] : graph::no_location;
  }
  /// The place is a location of the graph from now on.
  void locate(std::uint32_t place, graph::LocationId location);
  std::uint32_t place_of(graph::LocationId location) const {
    return number(location) < places_.size() ? places_[number(location)] : no_place;
  }

 private:
  static constexpr std::uint32_t absent = 0xffffffffU;
  struct Mark {
    std::uint32_t bytes, changes, located, cursors;
  };
  struct Change {
    std::uint32_t index;
    Cursor before;
  };
  Cursor& change(Cursor& cursor) {
    changes_.push_back(arena_, {index_[number(cursor.thread)], cursor});
    return cursor;
  }
  Cursor& add(graph::ThreadId thread, std::uint64_t rank);
  void add_child(Future::Child& child, graph::EventId created);
  void add_mark();
  void take_back_to(const Mark& mark);
  void sort();

  base::Arena& arena_;
  const graph::ExecutionGraph& graph_;
  Transcript transcript_;
  PlainBytes bytes_;
  base::ArenaVector<Cursor> cursors_;
  base::ArenaVector<std::uint32_t> index_;    ///< by thread: of its cursor
  base::ArenaVector<std::uint32_t> by_rank_;  ///< indices of cursors
  base::ArenaVector<Change> changes_;
  base::ArenaVector<std::uint32_t> located_;        ///< places, in the order in which they became locations
  base::ArenaVector<graph::LocationId> locations_;  ///< by place
  base::ArenaVector<std::uint32_t> places_;         ///< by location
  base::ArenaVector<Mark> marks_;                   ///< by step: the state after it, before its thread moves on
};

}  // namespace heddle::transcript
