// Finds data races: conflicting accesses that happens-before does not order. In the manner of FastTrack, but
// with a short list of records a cell instead of one epoch, which is exact: a record is dropped only when a
// newer one conflicts with everything it would conflict with.
#pragma once

#include <cstdint>
#include <optional>

#include "base/vector_clock.hpp"
#include "races/shadow.hpp"

namespace heddle::races {

struct Access {
  std::uintptr_t address = 0;
  std::size_t size = 0;
  AccessType type = AccessType::plain_read;
  AccessCause cause = AccessCause::access;
  graph::MemoryOrder order = graph::MemoryOrder::plain;
  graph::ThreadId thread = graph::no_thread;
  std::uint32_t index = 0;
  const base::VectorClock* clock = base::VectorClock::empty();  ///< what happens before it, own thread excluded
  std::uint64_t site = 0;
  std::uint32_t stack = 0;
};

struct Conflict {
  AccessRecord previous;
  std::uintptr_t address;  ///< the first byte concerned
  bool ordered;            ///< the previous access happens before: not a race, but a use after free
};

class Detector {
 public:
  Detector(ShadowMemory& shadow, base::Arena& execution_arena) : shadow_(shadow), arena_(execution_arena) {}

  void begin_execution(std::uint32_t execution) {
    execution_ = execution;
    shadow_.begin_execution(execution);
  }

  /// True: an access like this, by the same thread between the same two events, is remembered, and access() would find
  /// it at once and do nothing. Most accesses of a loop are such, and this is all that they cost.
  template <std::size_t size, AccessType type>
  bool is_remembered(std::uintptr_t address, PlainAccesses accesses) const {
    const std::uintptr_t offset = address & (ShadowMemory::cell_bytes - 1);
    if (size != 1 && offset + size > ShadowMemory::cell_bytes) return false;
    const Cell* cell = shadow_.cached_cell(address);
    if (cell == nullptr || cell->execution != execution_) return false;
    const auto bytes = static_cast<std::uint8_t>(((1U << size) - 1) << offset);
    if (cell->count > 0 && accesses.include<type>(cell->records[0], bytes)) return true;
    return cell->count > 1 && (cell->records[0].bytes & bytes) == 0 && accesses.include<type>(cell->records[1], bytes);
  }
  /// Checks the access against all earlier ones and remembers it. The first conflict it meets, if any.
  std::optional<Conflict> access(const Access& access);
  /// The same for large blocks that are allocated or freed: looks only at cells that were accessed in this execution.
  std::optional<Conflict> access_where_known(const Access& access);
  /// Calls visit(cell, address) for the cells of the range that speak of this execution.
  template <typename Visitor>
  void for_each_known_cell(std::uintptr_t address, std::size_t size, Visitor visit) {
    std::uintptr_t next = 0;
    for (std::uintptr_t at = address & ~(ShadowMemory::cell_bytes - 1); at < address + size; at = next)
      if (Cell* cell = shadow_.existing_cell(at, next)) visit(*cell, at);
  }
  /// The newest plain write to any byte of the range in this execution; null if there is none. Valid until the next
  /// access.
  const AccessRecord* newest_plain_write(std::uintptr_t address, std::size_t size);
  Cell& cell(std::uintptr_t address) { return shadow_.cell(address); }

 private:
  [[gnu::noinline]] std::optional<Conflict> access_cells(const Access& access);
  static bool is_all_there_is(Cell& cell, std::uint8_t bytes, const Access& access);
  [[gnu::noinline]] std::optional<Conflict> compare_with_records(Cell& cell, std::uint8_t bytes, std::uintptr_t address,
                                                                 const Access& access);

  ShadowMemory& shadow_;
  base::Arena& arena_;
  std::uint32_t execution_ = 0;
};

}  // namespace heddle::races
