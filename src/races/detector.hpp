// Finds data races: conflicting accesses that happens-before does not order. In the manner of FastTrack, but
// with a short list of records a cell instead of one epoch, which is exact: a record is dropped only when a
// newer one conflicts with everything it would conflict with.
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
  const base::VectorClock* clock = base::VectorClock::empty();  ///< what happens before it, own thread excluded
  std::uint64_t site = 0;
  std::uint32_t stack = 0;

  RecordStamp stamp() const { return {type, cause, order, thread, index, size, site, stack}; }
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

  /// What a small access touches: the cell, and the bytes of it.
  struct Place {
    Cell* cell = nullptr;  ///< null: more than one cell, or one that has to be searched for
    std::uint8_t bytes = 0;
  };
  Place place_of(std::uintptr_t address, std::size_t size) const {
    const std::uintptr_t offset = address & (ShadowMemory::cell_bytes - 1);
    if (offset + size > ShadowMemory::cell_bytes) return {};
    return {shadow_.cached_cell(address), static_cast<std::uint8_t>(((1U << size) - 1) << offset)};
  }

  /// True: an access like this, by the same thread between the same two events, is remembered, and access() would find
  /// it at once and do nothing. Most accesses of a loop are such, and this is all that they cost.
  template <AccessType type>
  bool is_remembered(const Place& place, PlainAccesses accesses) const {
    const auto [cell, bytes] = place;
    if (cell == nullptr || cell->execution != execution_) return false;
    if (cell->count > 0 && accesses.include<type>(cell->records[0], bytes)) return true;
    return cell->count > 1 && (cell->records[0].bytes & bytes) == 0 && accesses.include<type>(cell->records[1], bytes);
  }
  /// True: nobody freed any of the place's bytes, or the rest of its cell. False: perhaps.
  bool is_not_freed(const Place& place) const {
    const Cell* cell = place.cell;
    if (cell == nullptr) return false;
    if (cell->execution != execution_ || cell->count == 0) return true;
    if (cell->count > Cell::inline_records || cell->records[0].cause == AccessCause::deallocation) return false;
    return cell->count == 1 || cell->records[1].cause != AccessCause::deallocation;
  }
  /// True: the access conflicts with nobody, and now it is remembered. False: nothing was done, access() is to be
  /// called.
  bool access_in_peace(Cell* cell, const RecordStamp& record, const base::VectorClock& clock) {
    if (!base::fast_paths || cell == nullptr) return false;
    if (cell->execution != execution_) {
      cell->begin(execution_, record);
      return true;
    }
    return add_in_peace(*cell, record, clock);
  }
  /// Checks the access against all earlier ones and remembers it. The first conflict it meets, if any.
  std::optional<Conflict> access(const Access& access);
  /// The same for large blocks that are allocated or freed: looks only at cells that were accessed in this execution.
  std::optional<Conflict> access_where_known(const Access& access);
  /// A block begins a life: from now on `access`, its allocation, is all that is known of it. Calls forget(cell,
  /// address) for cells that speak of this execution: of its former life.
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
  /// Calls visit(cell, address) for the cells of the range that speak of this execution.
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
  [[gnu::noinline]] const AccessRecord* search_newest_plain_write(std::uintptr_t address, std::size_t size);
  /// What compare_with_records() does where there is nothing to report and at most two records are to be kept: most
  /// cells never see anything else. False, and nothing done, in all other cases. One function for all, since the
  /// processor has room for only so much code.
  static bool add_in_peace(Cell& cell, const RecordStamp& record, const base::VectorClock& clock) {
    return add_in_peace(cell, clock, record.word(0), record.word(1), record.word(2));
  }
  [[gnu::noinline]] static bool add_in_peace(Cell& cell, const base::VectorClock& clock, std::uint64_t first_word,
                                             std::uint64_t second_word, std::uint64_t third_word);
  [[gnu::noinline]] std::optional<Conflict> compare_with_records(Cell& cell, std::uint8_t bytes, std::uintptr_t address,
                                                                 const Access& access);

  ShadowMemory& shadow_;
  base::Arena& arena_;
  std::uint32_t execution_ = 0;
};

}  // namespace heddle::races
