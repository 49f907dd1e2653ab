// Records everything about one execution for the driver (channel/execution_record.hpp). Only replays do so: a decorator
// around the strategy sees events and decisions, and PlainMemory tells of plain accesses. Sampling pays nothing for it.
#pragma once

#include <cstdint>

#include "base/arena.hpp"
#include "channel/channel.hpp"
#include "channel/execution_record.hpp"
#include "engine/isolation/heap.hpp"
#include "engine/memory/access_watch.hpp"
#include "engine/memory/atomics.hpp"
#include "engine/memory/object_table.hpp"
#include "engine/recording/debug_state.hpp"
#include "engine/threads/call_stacks.hpp"
#include "engine/threads/thread_table.hpp"
#include "graph/execution_graph.hpp"
#include "strategies/strategy.hpp"

namespace heddle::engine {

class ExecutionWatch final : public strategies::Strategy, public AccessWatch {
 public:
  /// What the watch needs of the engine.
  struct Parts {
    const graph::ExecutionGraph& graph;
    ThreadTable& threads;
    Atomics& atomics;
    ObjectTable& objects;
    CallStackTree& stacks;
    const Heap& heap;
    const Modules& modules;
  };

  /// `arena` is for one execution: its owner resets it before begin_execution().
  /// `debug` is null unless a debugger runs the program.
  ExecutionWatch(strategies::Strategy& inner, const Parts& parts, base::Arena& arena, DebugState* debug)
      : inner_(inner), in_(parts), arena_(arena), debug_(debug) {}

  /// The execution has ended: writes its records at recordings_offset.
  void write(channel::Channel& channel);

  // AccessWatch
  void record_plain_access(channel::AccessKind kind, std::uintptr_t address, std::size_t size, std::uint64_t site,
                           std::uint32_t stack) override;

  // Strategy
  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const strategies::Choice& choice) override;
  void executed(const graph::Event& event) override;
  strategies::Facets facets() override { return inner_.facets(); }
  void end_execution(strategies::Outcome outcome) override;

  /// Plain accesses, and decisions: of more than these, an execution is too long to be recorded.
  static constexpr std::size_t most_notes = 200'000;
  /// Variables on stacks whose frames are noted; the others are shown without a name.
  static constexpr std::size_t most_locals = 256;

 private:
  class Writer;
  struct EventNote {
    graph::EventId event;
    std::uint32_t stack;
    std::uint64_t step;
  };
  struct PlainNote {
    channel::AccessKind kind;
    bool has_value;
    std::uint32_t events_before;
    graph::ThreadId thread;
    std::uint32_t index;
    std::uint32_t stack;
    std::uint64_t site;
    std::uintptr_t address;
    std::size_t size;
    std::uint64_t value;
    const base::VectorClock* clock;
    std::uint64_t step;
  };
  struct LocalNote {
    std::uintptr_t address;
    channel::FramePlace place;
  };
  struct DecisionNote {
    strategies::ChoiceKind kind;
    std::uint32_t events_before;
    graph::ThreadId thread;
    std::uint32_t options;
    std::uint32_t index;
    bool could_continue;
  };

  std::uint32_t events_so_far() const { return static_cast<std::uint32_t>(in_.graph.events().size()); }
  /// The instrumentation announces a write before it happens. Its value is in memory when the next thing happens.
  void complete_last_write();
  /// A debugger may stop here.
  void reach_step() {
    if (debug_ != nullptr) debug_->reach(steps_);
  }
  bool can_look_at(std::uintptr_t address, std::size_t size) const;
  /// Notes where the memory of the atomics and of the synchronisation object that the event is about lies on a stack.
  void find_locals(const graph::Event& event);
  void remember_local(std::uintptr_t address);

  strategies::Strategy& inner_;
  Parts in_;
  base::Arena& arena_;
  base::ArenaVector<EventNote> events_;
  base::ArenaVector<PlainNote> plain_;
  base::ArenaVector<DecisionNote> decisions_;
  base::ArenaVector<LocalNote> locals_;
  base::ArenaVector<bool> has_object_;  ///< by location: find_locals() has looked for a synchronisation object
  std::size_t accesses_seen_ = 0;       ///< of Atomics::accesses()
  bool awaits_value_ = false;           ///< of the newest plain write
  std::uint64_t left_out_ = 0;
  std::uint64_t steps_ = 0;  ///< events and plain accesses so far
  DebugState* debug_;
};

}  // namespace heddle::engine
