// Memory that the program maps (mmap) during an execution. Every thread has a range of addresses for its mappings, so
// that an address depends only on what its thread mapped before. A range is not used twice within an execution. What is
// still mapped at the end is unmapped before the next execution begins.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/arena.hpp"
#include "engine/isolation/address_space.hpp"
#include "engine/isolation/heap.hpp"
#include "engine/isolation/modules.hpp"

namespace heddle::engine {

/// The bytes of a file, or of other memory that can be mapped more than once.
struct SharedBytes {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  Range range;
};

struct Mapping {
  Range range;
  std::uint32_t stack = 0;  ///< the call stack of the call that mapped it
  bool is_shared = false;
  SharedBytes bytes;  ///< if it is shared
};

class Mappings {
 public:
  static constexpr std::size_t window_size = std::size_t{8} << 30;
  static constexpr Range region{layout::mappings, layout::mappings + window_size* Heap::max_slots};
  /// The place of the thread that has mapped the address, which lies in the region.
  static std::uint32_t place_of(std::uintptr_t address) {
    return static_cast<std::uint32_t>((address - region.begin) / window_size);
  }
  static std::uintptr_t offset_in_window(std::uintptr_t address) { return (address - region.begin) % window_size; }

  explicit Mappings(base::Arena& execution_arena) : execution_arena_(execution_arena) {}

  void begin_execution();

  /// The address of the next mapping of the thread at this place; 0 if its range is full.
  std::uintptr_t take_address(std::uint32_t place, std::size_t size);
  void add(const Mapping& mapping) { mappings_.push_back(execution_arena_, mapping); }
  void remove(Range range);
  /// The mapping that holds the address, or null.
  const Mapping* find(std::uintptr_t address) const;
  /// A mapping that shares some of these bytes, or null.
  const Mapping* find_shared(const SharedBytes& bytes) const;

 private:
  base::Arena& execution_arena_;
  base::ArenaVector<Mapping> mappings_;
  std::size_t used_[Heap::max_slots] = {};  ///< bytes of each window
  std::uint32_t windows_ = 0;               ///< windows below this may have been used
};

}  // namespace heddle::engine
