#include "races/detector.hpp"

namespace heddle::races {

namespace {

constexpr std::uintptr_t cell_bytes = ShadowMemory::cell_bytes;

AccessRecord* record_at(Cell& cell, std::uint32_t i) {
  return i < Cell::inline_records ? &cell.records[i] : &cell.more[i - Cell::inline_records];
}

bool happens_before(const AccessRecord& record, const Access& access) {
  return record.thread == number(access.thread) || (*access.clock)[record.thread] >= record.index;
}

/// The bytes of one cell that the range [begin, end) covers, as bits.
std::uint8_t covered_bytes(std::uintptr_t cell, std::uintptr_t begin, std::uintptr_t end) {
  const unsigned from = begin > cell ? static_cast<unsigned>(begin - cell) : 0;
  const unsigned to = end < cell + cell_bytes ? static_cast<unsigned>(end - cell) : cell_bytes;
  return static_cast<std::uint8_t>(((1U << to) - 1) & ~((1U << from) - 1));
}

// The records of a cell are in the order of their accesses, the newest first.

/// Makes room for a record at the front, for the caller to write.
AccessRecord& add_record(Cell& cell, base::Arena& arena) {
  if (cell.count < Cell::inline_records) {
    cell.records[1] = cell.records[0];
    ++cell.count;
    return cell.records[0];
  }
  cell.more.push_back(arena, AccessRecord{});
  for (std::uint32_t i = cell.count++; i > 0; --i) *record_at(cell, i) = *record_at(cell, i - 1);
  return cell.records[0];
}

void remove_record(Cell& cell, std::uint32_t i) {
  --cell.count;
  if (i == 0 && cell.count == 1) {
    cell.records[0] = cell.records[1];
    return;
  }
  for (; i < cell.count; ++i) *record_at(cell, i) = *record_at(cell, i + 1);
  if (cell.count >= Cell::inline_records) cell.more.pop_back();
}

/// Moves record i to the front after an access repeated it, so that is_remembered() finds it at the next access. That
/// function looks at the first record, and at the second if the first has other bytes. The records in between are of
/// the same thread or unordered with record i, so their order does not matter.
void bring_forward(Cell& cell, std::uint32_t i, std::uint8_t bytes) {
  if (i == 0 || (i == 1 && (cell.records[0].bytes & bytes) == 0)) return;
  const AccessRecord repeated = *record_at(cell, i);
  for (; i > 0; --i) *record_at(cell, i) = *record_at(cell, i - 1);
  cell.records[0] = repeated;
}

/// What happens to a record when an access is added. `undecided` leaves it to compare_with_records().
enum class Fate : std::uint8_t { dropped, kept, undecided };

Fate fate_of(const AccessRecord& record, const RecordStamp& added, const base::VectorClock& clock) {
  const std::uint8_t bytes = added.bytes();
  const bool same_stretch = record.thread == added.thread() && record.index == added.index();
  if (same_stretch && (bytes & ~record.bytes) == 0 && dominates(record.type, added.type()) &&
      record.cause == added.cause())
    return Fate::undecided;
  if ((record.bytes & bytes) == 0) return Fate::kept;
  if (record.thread != added.thread() && clock[record.thread] < record.index)
    return conflict(record.type, added.type()) ? Fate::undecided : Fate::kept;
  if (record.cause == AccessCause::deallocation) return Fate::undecided;
  return (record.bytes & ~bytes) == 0 && dominates(added.type(), record.type) ? Fate::dropped : Fate::kept;
}

}  // namespace

bool Detector::try_add_uncontended(Cell& cell, const base::VectorClock& clock, std::uint64_t first_word,
                                   std::uint64_t second_word, std::uint64_t third_word) {
  if (!base::fast_paths) return false;
  const RecordStamp added(first_word, second_word, third_word);
  AccessRecord& first = cell.records[0];
  if (cell.count == 0) {
    cell.count = 1;
    added.write_to(first);
    return true;
  }
  if (cell.count > Cell::inline_records) return try_add_among_many(cell, clock, added);
  const Fate first_fate = fate_of(first, added, clock);
  if (first_fate == Fate::undecided) return false;
  const Fate second_fate = cell.count == 2 ? fate_of(cell.records[1], added, clock) : Fate::dropped;
  if (second_fate == Fate::undecided) return false;
  if (first_fate == Fate::kept && second_fate == Fate::kept) return try_add_among_many(cell, clock, added);
  if (first_fate == Fate::kept) cell.records[1] = first;
  cell.count = first_fate == Fate::kept || second_fate == Fate::kept ? 2 : 1;
  added.write_to(first);
  return true;
}

bool Detector::try_add_among_many(Cell& cell, const base::VectorClock& clock, const RecordStamp& added) {
  constexpr std::uint32_t most = 6;  // two neighbouring variables, each with reads and writes of a few threads
  if (cell.count > most) return false;
  std::uint32_t kept = 0;  // the records that are kept, as bits
  for (std::uint32_t i = 0; i < cell.count; ++i) {
    const Fate fate = fate_of(*record_at(cell, i), added, clock);
    if (fate == Fate::undecided) return false;
    if (fate == Fate::kept) kept |= 1U << i;
  }
  // Records that are kept move up, each to the place of the kept one before it.
  AccessRecord moving;
  added.write_to(moving);
  std::uint32_t count = 0;
  for (; kept != 0; kept &= kept - 1) {
    AccessRecord& record = *record_at(cell, static_cast<std::uint32_t>(__builtin_ctz(kept)));
    const AccessRecord next = record;
    *record_at(cell, count++) = moving;
    moving = next;
  }
  if (count == cell.count && count >= Cell::inline_records)
    cell.more.push_back(arena_, moving);
  else
    *record_at(cell, count) = moving;
  ++count;
  cell.more.truncate(count > Cell::inline_records ? count - Cell::inline_records : 0);
  cell.count = static_cast<std::uint16_t>(count);
  return true;
}

std::optional<Conflict> Detector::access(const Access& access) {
  const std::uintptr_t offset = access.address & (cell_bytes - 1);
  if (offset + access.size > cell_bytes) return access_cells(access);
  Cell& cell = shadow_.cell(access.address);
  const auto bytes = static_cast<std::uint8_t>(((1U << access.size) - 1) << offset);
  if (try_add_uncontended(cell, access.stamp().of(bytes), *access.clock)) return std::nullopt;
  return compare_with_records(cell, bytes, access.address - offset, access);
}

std::optional<Conflict> Detector::access_contended(const Access& access) {
  const std::uintptr_t offset = access.address & (cell_bytes - 1);
  if (offset + access.size > cell_bytes) return access_cells(access);
  const auto bytes = static_cast<std::uint8_t>(((1U << access.size) - 1) << offset);
  return compare_with_records(shadow_.cell(access.address), bytes, access.address - offset, access);
}

bool Detector::try_record_in_chunk(std::uintptr_t at, const Access& access, const RecordStamp& stamp, Where where) {
  const std::uintptr_t end = access.address + access.size;
  if (at % ShadowMemory::chunk_bytes != 0 || at < access.address || end - at < ShadowMemory::chunk_bytes) return false;
  Cell cell;
  if (!shadow_.find_alike(at, cell)) return false;
  if (where == Where::where_known && cell.count == 0) return true;
  for (std::uint32_t i = 0; i < cell.count; ++i) {
    const AccessRecord& record = cell.records[i];
    if (record.thread == stamp.thread() && record.index == stamp.index() && record.bytes == 0xff &&
        dominates(record.type, stamp.type()) && record.cause == stamp.cause())
      return true;  // its record, between these two events of the thread, covers this access
  }
  return try_add_uncontended(cell, stamp.of(0xff), *access.clock) && shadow_.set_alike(at, cell);
}

std::optional<Conflict> Detector::access_cells(const Access& access) {
  std::optional<Conflict> first;
  const RecordStamp stamp = access.stamp();
  const std::uintptr_t end = access.address + access.size;
  for (std::uintptr_t at = access.address & ~(cell_bytes - 1); at < end; at += cell_bytes) {
    while (try_record_in_chunk(at, access, stamp, Where::everywhere)) at += ShadowMemory::chunk_bytes;
    if (at >= end) break;
    Cell& cell = shadow_.cell(at);
    const std::uint8_t bytes = covered_bytes(at, access.address, end);
    if (try_add_uncontended(cell, stamp.of(bytes), *access.clock)) continue;
    const auto conflict = compare_with_records(cell, bytes, at, access);
    if (conflict && !first) first = conflict;
  }
  return first;
}

std::optional<Conflict> Detector::access_where_known(const Access& access) {
  std::optional<Conflict> first;
  const RecordStamp stamp = access.stamp();
  const std::uintptr_t end = access.address + access.size;
  std::uintptr_t next = 0;
  for (std::uintptr_t at = access.address & ~(cell_bytes - 1); at < end; at = next) {
    next = at + ShadowMemory::chunk_bytes;
    if (try_record_in_chunk(at, access, stamp, Where::where_known)) continue;
    Cell* cell = shadow_.existing_cell(at, next);
    if (cell == nullptr) continue;
    const std::uint8_t bytes = covered_bytes(at, access.address, end);
    if (try_add_uncontended(*cell, stamp.of(bytes), *access.clock)) continue;
    const auto conflict = compare_with_records(*cell, bytes, at, access);
    if (conflict && !first) first = conflict;
  }
  return first;
}

std::optional<Conflict> Detector::compare_with_records(Cell& cell, std::uint8_t bytes, std::uintptr_t address,
                                                       const Access& access) {
  std::optional<Conflict> found;
  for (std::uint32_t i = 0; i < cell.count;) {
    const AccessRecord& record = *record_at(cell, i);
    // This thread has made such an access since its last event: every conflict was found then.
    if (record.thread == number(access.thread) && record.index == access.index && (bytes & ~record.bytes) == 0 &&
        dominates(record.type, access.type) && record.cause == access.cause) {
      bring_forward(cell, i, bytes);
      return found;
    }
    if ((record.bytes & bytes) == 0) {
      ++i;
      continue;
    }
    const bool ordered = happens_before(record, access);
    const bool freed = record.cause == AccessCause::deallocation;
    if (!found && ((!ordered && conflict(record.type, access.type)) || (ordered && freed)))
      found = Conflict{record, address + static_cast<unsigned>(__builtin_ctz(record.bytes & bytes)), ordered};
    const bool superseded = ordered && !freed && (record.bytes & ~bytes) == 0 && dominates(access.type, record.type);
    if (superseded)
      remove_record(cell, i);
    else
      ++i;
  }
  access.stamp().of(bytes).write_to(add_record(cell, arena_));
  return found;
}

const AccessRecord* Detector::search_newest_plain_write(std::uintptr_t address, std::size_t size) {
  const std::uintptr_t end = address + size;
  for (std::uintptr_t at = address & ~(cell_bytes - 1); at < end; at += cell_bytes) {
    Cell& cell = shadow_.cell(at);
    const std::uint8_t bytes = covered_bytes(at, address, end);
    for (std::uint32_t i = 0; i < cell.count; ++i) {
      const AccessRecord& record = *record_at(cell, i);
      if (record.type == AccessType::plain_write && (record.bytes & bytes) != 0) return &record;
    }
  }
  return nullptr;
}

}  // namespace heddle::races
