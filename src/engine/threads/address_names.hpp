// Names for the addresses of a program's data that are the same in every process and every execution, whatever the
// interleaving, and wherever the system puts things.
#pragma once

#include <cstdint>
#include <span>

#include "base/arena.hpp"
#include "engine/isolation/heap.hpp"
#include "engine/isolation/modules.hpp"
#include "engine/threads/program_thread.hpp"

namespace heddle::engine {

class AddressNames {
 public:
  using Threads = base::ArenaVector<ProgramThread*>;
  /// `threads` are those of the execution; `by_place` has the thread at each place, or null.
  AddressNames(const Heap& heap, const Modules& modules, const Threads& threads,
               std::span<ProgramThread* const> by_place)
      : heap_(heap), modules_(modules), threads_(threads), by_place_(by_place) {}

  /// heddle::check: the stack of its caller, from the call on.
  void set_callers_stack(Range stack) { callers_stack_ = stack; }
  bool is_on_callers_stack(std::uintptr_t address) const { return callers_stack_.contains(address); }
  bool is_on_a_stack(std::uintptr_t address) const;

  std::uint64_t name_of(std::uintptr_t address) const;

 private:
  /// The name of the thread at this place.
  std::uint64_t owner_of(std::uint32_t place) const;

  const Heap& heap_;
  const Modules& modules_;
  const Threads& threads_;
  std::span<ProgramThread* const> by_place_;
  Range callers_stack_;
};

}  // namespace heddle::engine
