#include "races/folded_cells.hpp"

#include <cstring>

namespace heddle::races {

namespace {

enum class Run : std::uint8_t { nothing, one, two, whole };

constexpr std::uint32_t most_kinds = 64;

struct RunHead {
  std::uint16_t cells;
  Run run;
  std::uint8_t flags;
};

template <typename T>
void put(std::byte*& at, const T& value) {
  std::memcpy(at, &value, sizeof value);
  at += sizeof value;
}
template <typename T>
T get(const std::byte*& at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  at += sizeof value;
  return value;
}

std::uint8_t flags_of(const Cell& cell) {
  return static_cast<std::uint8_t>((cell.has_location ? 1 : 0) | (cell.has_object ? 2 : 0));
}

/// Cells with more than two records are never alike: the other records are in the execution's arena.
bool are_alike(const Cell& a, const Cell& b) {
  return a.count == b.count && a.count <= Cell::inline_records && flags_of(a) == flags_of(b) &&
         std::memcmp(a.records, b.records, a.count * sizeof(AccessRecord)) == 0;
}

/// The record without its index and bytes.
AccessRecord kind_of(const AccessRecord& record) {
  AccessRecord kind = record;
  kind.index = 0;
  kind.bytes = 0;
  return kind;
}

class Kinds {
 public:
  /// The number of the record's kind, which is added if it is new. Returns most_kinds if there is no room for it.
  std::uint32_t number_of(const AccessRecord& record) {
    const AccessRecord kind = kind_of(record);
    for (std::uint32_t i = 0; i < count_; ++i)
      // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): RecordStamp writes all of its bytes
      if (std::memcmp(&kinds_[i], &kind, sizeof kind) == 0) return i;
    if (count_ == most_kinds) return most_kinds;
    kinds_[count_] = kind;
    return count_++;
  }
  std::span<const AccessRecord> all() const { return {kinds_, count_}; }

 private:
  AccessRecord kinds_[most_kinds];
  std::uint32_t count_ = 0;
};

}  // namespace

std::size_t fold_cells(std::span<const Cell> cells, std::uint32_t execution, std::byte* out) {
  Kinds kinds;
  // The runs are written behind room for the most kinds, and moved once the kinds are known.
  std::byte* const runs = out + sizeof(std::uint32_t) + most_kinds * sizeof(AccessRecord);
  std::byte* at = runs;
  bool has_any = false;
  for (std::size_t i = 0; i < cells.size();) {
    const Cell& cell = cells[i];
    const bool is_current = cell.execution == execution;
    std::size_t end = i + 1;
    while (end < cells.size() && (cells[end].execution == execution) == is_current &&
           (!is_current || are_alike(cell, cells[end])))
      ++end;
    RunHead head{static_cast<std::uint16_t>(end - i), Run::nothing, 0};
    i = end;
    if (!is_current) {
      put(at, head);
      continue;
    }
    has_any = true;
    head.flags = flags_of(cell);
    std::uint32_t numbers[Cell::inline_records] = {};
    bool fits = cell.count <= Cell::inline_records;
    for (std::uint32_t r = 0; fits && r < cell.count; ++r)
      fits = (numbers[r] = kinds.number_of(cell.records[r])) != most_kinds;
    // A cell without records may have flags. It is stored as whole; such cells are rare.
    head.run = !fits || cell.count == 0 ? Run::whole : cell.count == 1 ? Run::one : Run::two;
    put(at, head);
    if (head.run == Run::whole) {
      put(at, cell);
      continue;
    }
    for (std::uint32_t r = 0; r < cell.count; ++r) {
      put(at, static_cast<std::uint8_t>(numbers[r]));
      put(at, cell.records[r].bytes);
      put(at, cell.records[r].index);
    }
  }
  if (!has_any) return 0;
  std::byte* head = out;
  put(head, static_cast<std::uint32_t>(kinds.all().size()));
  for (const AccessRecord& kind : kinds.all()) put(head, kind);
  const auto size = static_cast<std::size_t>(at - runs);
  std::memmove(head, runs, size);
  return static_cast<std::size_t>(head - out) + size;
}

void unfold_cells(const std::byte* from, std::uint32_t execution, std::span<Cell> cells) {
  AccessRecord kinds[most_kinds];
  const auto count = get<std::uint32_t>(from);
  for (std::uint32_t i = 0; i < count; ++i) kinds[i] = get<AccessRecord>(from);
  for (std::size_t i = 0; i < cells.size();) {
    const auto head = get<RunHead>(from);
    Cell cell;
    if (head.run == Run::whole) {
      cell = get<Cell>(from);
    } else if (head.run != Run::nothing) {
      cell.execution = execution;
      cell.count = head.run == Run::one ? 1 : 2;
      cell.has_location = (head.flags & 1) != 0;
      cell.has_object = (head.flags & 2) != 0;
      for (std::uint32_t r = 0; r < cell.count; ++r) {
        cell.records[r] = kinds[get<std::uint8_t>(from)];
        cell.records[r].bytes = get<std::uint8_t>(from);
        cell.records[r].index = get<std::uint32_t>(from);
      }
    }
    for (const std::size_t end = i + head.cells; i < end; ++i) cells[i] = cell;
  }
}

bool can_fold_alike(const Cell& cell) { return (cell.count == 1 || cell.count == 2) && flags_of(cell) == 0; }

std::size_t fold_alike(const Cell& cell, std::size_t cells, std::byte* out) {
  static_assert(largest_folded_alike >= sizeof(std::uint32_t) + sizeof(RunHead) + 2 * (sizeof(AccessRecord) + 6));
  std::byte* at = out;
  put(at, static_cast<std::uint32_t>(cell.count));
  for (std::uint32_t r = 0; r < cell.count; ++r) put(at, kind_of(cell.records[r]));
  put(at, RunHead{static_cast<std::uint16_t>(cells), cell.count == 1 ? Run::one : Run::two, 0});
  for (std::uint32_t r = 0; r < cell.count; ++r) {
    put(at, static_cast<std::uint8_t>(r));
    put(at, cell.records[r].bytes);
    put(at, cell.records[r].index);
  }
  return static_cast<std::size_t>(at - out);
}

bool unfold_alike(const std::byte* from, std::uint32_t execution, std::size_t cells, Cell& out) {
  const std::byte* at = from;
  const auto kinds = get<std::uint32_t>(at);
  at += kinds * sizeof(AccessRecord);
  const auto head = get<RunHead>(at);
  if (head.cells != cells || head.flags != 0 || (head.run != Run::one && head.run != Run::two)) return false;
  Cell one[1];
  std::byte copy[largest_folded_alike];
  std::byte* to = copy;  // the copy of the run, for one cell
  const std::byte* const records = at;
  const std::size_t size = head.run == Run::one ? 6 : 12;
  if (sizeof kinds + kinds * sizeof(AccessRecord) + sizeof head + size > sizeof copy) return false;
  std::memcpy(to, from, sizeof kinds + kinds * sizeof(AccessRecord));
  to += sizeof kinds + kinds * sizeof(AccessRecord);
  put(to, RunHead{1, head.run, 0});
  std::memcpy(to, records, size);
  unfold_cells(copy, execution, one);
  out = one[0];
  return true;
}

}  // namespace heddle::races
