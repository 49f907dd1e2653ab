// Describes one finding as the records of channel/finding_record.hpp: its threads, stacks, accesses and memory, as they
// are at this moment of the execution.
#pragma once

#include <cstdint>

#include "channel/finding_record.hpp"
#include "channel/record.hpp"
#include "engine/isolation/heap.hpp"
#include "engine/isolation/modules.hpp"
#include "engine/reporting/finding_context.hpp"
#include "engine/threads/call_stacks.hpp"
#include "graph/event.hpp"

namespace heddle::engine {

class FindingDescription {
 public:
  /// Where the state of the execution is found.
  struct Sources {
    const Heap& heap;
    const Modules& modules;
    CallStackTree& stacks;
    FindingContext& context;
  };

  /// The records lie in memory that all descriptions share: one description at a time.
  FindingDescription(const Sources& sources, const channel::FindingHead& head);

  /// The call stack of a thread, which is about to perform an operation at `site`.
  void add_stack_of(ProgramThread& thread, std::uint64_t site);
  /// The stack with this number in the tree of call stacks.
  void add_stack(std::uint32_t number);
  void add_access(channel::AccessKind access, graph::MemoryOrder order, std::size_t size, std::uintptr_t address,
                  std::uint32_t slot, std::uint64_t site, std::uint32_t stack_number);
  /// The memory at `address`, and for the heap the thread and the place that allocated it.
  void add_object(std::uintptr_t address);
  /// If the address is on a stack: the frame that it lies in.
  void add_local(std::uintptr_t address);
  /// What a thread does, and what it waits for.
  void add_thread(ProgramThread& thread);
  /// See channel::RaceContextRecord.
  void add_race_context(channel::Words races, channel::Words sites);
  void add_call(const channel::CallRecord& call) { writer_.add(call); }
  /// The first cycle of threads that wait for each other, if there is one.
  void add_cycle();

  channel::Words words() const { return writer_.words(); }

 private:
  static constexpr std::size_t deepest_stack = 64;
  struct Stack {
    std::uint64_t pcs[deepest_stack + 1];
    std::size_t size = 0;

    void push(std::uint64_t pc) { pcs[size++] = pc; }
    channel::Words words() const { return {pcs, size}; }
  };

  Stack interned_stack(std::uint64_t site, std::uint32_t number) const;
  Stack stack_of(ProgramThread& thread, std::uint64_t site) const;
  /// The thread that must act before `thread` can continue; null if there is no single one.
  const ProgramThread* holder_of(const ProgramThread& thread) const;

  Sources sources_;
  channel::RecordWriter writer_;
};

}  // namespace heddle::engine
