// Finds data races: conflicting accesses that happens-before does not order. The algorithm resembles FastTrack
// (Flanagan and Freund, PLDI 2009), but a cell has a short list of records instead of one epoch. This is exact: a
// record is dropped only if a newer one conflicts with every access that the dropped one would conflict with.
#pragma once

#include <cstdint>
#include <optional>

#include "base/fast_paths.hpp"
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
  const base::VectorClock* clock =
      base::VectorClock::empty();  ///< what happens before the access, except in its own thread
  std::uint64_t site = 0;
  std::uint32_t stack = 0;

  RecordStamp stamp() const { return {type, cause, order, thread, index, size, site, stack}; }
};

struct Conflict {
  AccessRecord previous;
  std::uintptr_t address;  ///< the first byte that both access
  bool ordered;            ///< the previous access happens before: a use after free, not a race
};

class Detector {
 public:
  Detector(ShadowMemory& shadow, base::Arena& execution_arena) : shadow_(shadow), arena_(execution_arena) {}

  void begin_execution(std::uint32_t execution) {
    execution_ = execution;
    shadow_.begin_execution(execution);
  }

  /// The cell that a small access touches, and the bytes of it.
  struct Place {
    Cell* cell = nullptr;  ///< null if there are several cells, or if the cell is not cached
    std::uint8_t bytes = 0;
  };
  Place place_of(std::uintptr_t address, std::size_t size) const {
    const std::uintptr_t offset = address & (ShadowMemory::cell_bytes - 1);
    if (offset + size > ShadowMemory::cell_bytes) return {};
    return {shadow_.cached_cell(address), static_cast<std::uint8_t>(((1U << size) - 1) << offset)};
  }

  /// Whether a record of the same thread, between the same two events, covers this access. access() would find that
  /// record and do nothing. This is the common case in loops, and the whole cost of such an access.
  template <AccessType type>
  bool is_remembered(const Place& place, PlainAccesses accesses) const {
    const auto [cell, bytes] = place;
    if (cell == nullptr || cell->execution != execution_) return false;
    if (cell->count > 0 && accesses.include<type>(cell->records[0], bytes)) return true;
    return cell->count > 1 && (cell->records[0].bytes & bytes) == 0 && accesses.include<type>(cell->records[1], bytes);
  }
  /// True only if no byte of the cell was freed in this execution. False if that cannot be told quickly.
  bool is_not_freed(const Cell* cell) const {
    if (cell == nullptr) return false;
    if (cell->execution != execution_ || cell->count == 0) return true;
    if (cell->count > Cell::inline_records || cell->records[0].cause == AccessCause::deallocation) return false;
    return cell->count == 1 || cell->records[1].cause != AccessCause::deallocation;
  }
  /// Records the access if it conflicts with no record of the cell and the cell has room. Returns false, without side
  /// effects, otherwise: then access_contended() must be called.
  bool try_record_uncontended(Cell* cell, const RecordStamp& record, const base::VectorClock& clock) {
    if (!base::fast_paths || cell == nullptr) return false;
    if (cell->execution != execution_) {
      cell->begin(execution_, record);
      return true;
    }
    return try_add_uncontended(*cell, record, clock);
  }
  /// Checks the access against the records and adds its own. Returns the first conflict, if there is any.
  std::optional<Conflict> access(const Access& access);
  /// access() without another attempt at the common case, for an access that try_record_uncontended() has refused.
  std::optional<Conflict> access_contended(const Access& access);
  /// Does what access() does, but only for cells that were accessed in this execution. For large blocks that are freed.
  std::optional<Conflict> access_where_known(const Access& access);
  /// Starts a heap block: replaces the records of its cells by one of `access`, the allocation. Calls forget(cell,
  /// address) first for cells that have records of this execution, which belong to a freed block.
  template <typename Forget>
  void begin_block(const Access& access, Forget forget) {
    const RecordStamp stamp = access.stamp();
    const std::uintptr_t end = access.address + access.size;
    for (std::uintptr_t at = access.address; at < end; at += ShadowMemory::cell_bytes) {
      Cell& cell = shadow_.any_cell(at);
      if (cell.execution == execution_)
        forget(cell, at);
      else
        cell.begin(execution_);
      cell.count = 1;
      const unsigned covered = end - at < ShadowMemory::cell_bytes ? static_cast<unsigned>(end - at) : 8;
      stamp.of(static_cast<std::uint8_t>((1U << covered) - 1)).write_to(cell.records[0]);
    }
  }
  /// Calls visit(cell, address) for the cells of the range that have records of this execution.
  template <typename Visitor>
  void for_each_known_cell(std::uintptr_t address, std::size_t size, Visitor visit) {
    std::uintptr_t next = 0;
    for (std::uintptr_t at = address & ~(ShadowMemory::cell_bytes - 1); at < address + size; at = next)
      if (Cell* cell = shadow_.existing_cell(at, next)) visit(*cell, at);
  }
  /// The newest plain write to any byte of the range in this execution; null if there is none. Valid until the next
  /// access.
  const AccessRecord* newest_plain_write(std::uintptr_t address, std::size_t size) {
    const auto [cell, bytes] = place_of(address, size);
    if (!base::fast_paths || cell == nullptr) return search_newest_plain_write(address, size);
    if (cell->execution != execution_) return nullptr;
    const auto writes_plainly = [bytes = bytes](const AccessRecord& record) {
      return record.type == AccessType::plain_write && (record.bytes & bytes) != 0;
    };
    if (cell->count > 0 && writes_plainly(cell->records[0])) return &cell->records[0];
    if (cell->count > 1 && writes_plainly(cell->records[1])) return &cell->records[1];
    return cell->count > Cell::inline_records ? search_newest_plain_write(address, size) : nullptr;
  }
  Cell& cell(std::uintptr_t address) { return shadow_.cell(address); }

 private:
  [[gnu::noinline]] std::optional<Conflict> access_cells(const Access& access);
  /// Records an access to all bytes of the chunk at `at`, if all its cells are alike and none conflicts. Returns false,
  /// without side effects, otherwise.
  enum class Where : std::uint8_t { everywhere, where_known };
  bool try_record_in_chunk(std::uintptr_t at, const Access& access, const RecordStamp& stamp, Where where);
  [[gnu::noinline]] const AccessRecord* search_newest_plain_write(std::uintptr_t address, std::size_t size);
  /// Does what compare_with_records() does if there is no conflict and the cell keeps few records, which is the common
  /// case. Returns false, without side effects, otherwise. Not inline, to keep the hot code small: an execution uses
  /// most of the first-level instruction cache.
  bool try_add_uncontended(Cell& cell, const RecordStamp& record, const base::VectorClock& clock) {
    return try_add_uncontended(cell, clock, record.word(0), record.word(1), record.word(2));
  }
  [[gnu::noinline]] bool try_add_uncontended(Cell& cell, const base::VectorClock& clock, std::uint64_t first_word,
                                             std::uint64_t second_word, std::uint64_t third_word);
  /// try_add_uncontended() for a cell that has, or gets, more records than Cell::inline_records.
  [[gnu::noinline]] bool try_add_among_many(Cell& cell, const base::VectorClock& clock, const RecordStamp& added);
  [[gnu::noinline]] std::optional<Conflict> compare_with_records(Cell& cell, std::uint8_t bytes, std::uintptr_t address,
                                                                 const Access& access);

  ShadowMemory& shadow_;
  base::Arena& arena_;
  std::uint32_t execution_ = 0;
};

}  // namespace heddle::races
