// Races on descriptors: a close that is not ordered with a use of the number, or with another close of it, by another
// thread. The use may meet the next file that gets the number. Each number has a cell of shadow memory, at an address
// that no memory has: a use reads it, a close writes it.
//
// Only numbers that the program was seen to open are followed: a number that the C library opens for itself may have
// been closed by another thread before, and nothing orders the two.
#pragma once

#include <cstdint>

#include "base/arena.hpp"
#include "engine/isolation/modules.hpp"
#include "engine/threads/call_stacks.hpp"
#include "engine/threads/thread_table.hpp"
#include "graph/execution_graph.hpp"
#include "races/detector.hpp"

namespace heddle::engine {

class FindingSink;

class DescriptorUses {
 public:
  DescriptorUses(base::Arena& execution_arena, const graph::ExecutionGraph& graph, const Modules& modules,
                 races::Detector& races, CallStackTree& stacks, ThreadTable& threads, FindingSink& findings)
      : execution_arena_(execution_arena), graph_(graph), modules_(modules), races_(races), stacks_(stacks),
        threads_(threads), findings_(findings) {}

  void begin_execution() { numbers_.forget(); }

  /// The number has a new file.
  void open(int fd);
  /// The current thread is about to make a call on the number.
  void use(int fd, std::uint64_t site) {
    if (static_cast<std::size_t>(fd) < numbers_.size()) note(fd, races::AccessType::atomic_read, site);
  }
  /// The current thread is about to close the number.
  void close(int fd, std::uint64_t site) {
    if (static_cast<std::size_t>(fd) >= numbers_.size()) return;
    note(fd, races::AccessType::plain_write, site);
    if (numbers_[static_cast<std::size_t>(fd)] == Number::open)
      numbers_[static_cast<std::size_t>(fd)] = Number::closing;
  }
  /// The kernel has closed the number. Other threads may have run since close().
  void end_close(int fd) {
    if (static_cast<std::size_t>(fd) >= numbers_.size()) return;
    if (numbers_[static_cast<std::size_t>(fd)] == Number::closing)
      numbers_[static_cast<std::size_t>(fd)] = Number::closed;
  }

 private:
  enum class Number : std::uint8_t { unknown, open, closing, closed };

  static std::uintptr_t cell_of(int fd) { return std::uintptr_t{1} << 62 | static_cast<std::uintptr_t>(fd) * 8; }
  bool is_followed(int fd);
  void note(int fd, races::AccessType type, std::uint64_t site);

  base::Arena& execution_arena_;
  const graph::ExecutionGraph& graph_;
  const Modules& modules_;
  races::Detector& races_;
  CallStackTree& stacks_;
  ThreadTable& threads_;
  FindingSink& findings_;
  base::ArenaVector<Number> numbers_;
};

}  // namespace heddle::engine
