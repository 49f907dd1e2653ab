#include "story/shared_accesses.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace heddle::story {

namespace {

using channel::AccessKind;

constexpr std::uint64_t cell_bytes = 8;
// Of larger accesses (memset of a buffer), the first bytes count.
constexpr std::uint64_t most_bytes = 4096;
// Comparing all accesses to one cell takes the square of their number.
constexpr std::size_t most_compared = 256;

bool is_access(AccessKind kind) { return kind == AccessKind::read || kind == AccessKind::write; }

struct Cell {
  std::set<std::uint32_t> threads;
  bool is_written = false;
  std::vector<std::size_t> accesses;     ///< positions in LogRecords::plain
  std::vector<std::size_t> allocations;  ///< the same

  bool is_shared() const { return threads.size() > 1 && is_written; }
};

class Cells {
 public:
  explicit Cells(const LogRecords& records) : records_(records) {
    for (const EventRecord& event : records.events) {
      const auto& fields = event.fields;
      if (fields.location == channel::log_nothing || fields.thread == channel::log_nothing) continue;
      const LocationRecord& location = records.locations[fields.location];
      if (location.address != 0 && location.object.empty())
        note(location.address, location.size, fields.thread, writes(fields.kind));
    }
    for (std::size_t i = 0; i < records.plain.size(); ++i) {
      const auto& fields = records.plain[i].fields;
      if (fields.kind == AccessKind::allocation) {
        for_each_cell(fields.address, fields.size, [&](Cell& cell) { cell.allocations.push_back(i); });
        continue;
      }
      note(fields.address, fields.size, fields.thread, fields.kind != AccessKind::read);
      for_each_cell(fields.address, fields.size, [&](Cell& cell) { cell.accesses.push_back(i); });
    }
  }

  bool is_shared(std::uint64_t address, std::uint64_t size) {
    bool shared = false;
    for_each_cell(address, size, [&](const Cell& cell) { shared |= cell.is_shared(); });
    return shared;
  }

  /// With an access of another thread, or with the end of the memory.
  bool races(std::size_t access) {
    bool races = false;
    const auto& fields = records_.plain[access].fields;
    for_each_cell(fields.address, fields.size, [&](const Cell& cell) {
      if (cell.accesses.size() > most_compared) return;
      for (const std::size_t other : cell.accesses)
        races |= conflict(access, other) || is_freed_between(cell, other, access);
    });
    return races;
  }

 private:
  template <typename Function>
  void for_each_cell(std::uint64_t address, std::uint64_t size, Function function) {
    const std::uint64_t end = address + std::clamp<std::uint64_t>(size, 1, most_bytes);
    for (std::uint64_t at = address / cell_bytes; at * cell_bytes < end; ++at) function(cells_[at]);
  }
  void note(std::uint64_t address, std::uint64_t size, std::uint32_t thread, bool is_write) {
    for_each_cell(address, size, [&](Cell& cell) {
      cell.threads.insert(thread);
      cell.is_written |= is_write;
    });
  }
  bool happens_before(const PlainRecord& a, const PlainRecord& b) const {
    const std::uint32_t thread = a.fields.thread;
    return thread < b.clock.size() && b.clock[thread] >= a.fields.index;
  }
  bool conflict(std::size_t first, std::size_t second) const {
    const PlainRecord& a = records_.plain[first];
    const PlainRecord& b = records_.plain[second];
    if (a.fields.thread == b.fields.thread) return false;
    if (a.fields.kind == AccessKind::read && b.fields.kind == AccessKind::read) return false;
    const bool overlap =
        a.fields.address < b.fields.address + b.fields.size && b.fields.address < a.fields.address + a.fields.size;
    return overlap && !happens_before(a, b) && !happens_before(b, a);
  }

  /// The first is a free, and the memory has not been allocated again before the second.
  bool is_freed_between(const Cell& cell, std::size_t first, std::size_t second) const {
    const PlainRecord& free = records_.plain[first];
    if (free.fields.kind != AccessKind::deallocation || first >= second) return false;
    const std::uint64_t address = records_.plain[second].fields.address;
    if (address - free.fields.address >= free.fields.size) return false;
    return std::none_of(cell.allocations.begin(), cell.allocations.end(),
                        [&](std::size_t i) { return first < i && i < second; });
  }

  const LogRecords& records_;
  std::map<std::uint64_t, Cell> cells_;  ///< by address / cell_bytes
};

/// Whether one of the sorted addresses lies in the block.
bool holds_any(const PlainRecord& block, const std::vector<std::uint64_t>& addresses) {
  const auto first = std::lower_bound(addresses.begin(), addresses.end(), block.fields.address);
  return first != addresses.end() && *first < block.fields.address + std::max<std::uint64_t>(block.fields.size, 1);
}

}  // namespace

std::vector<std::size_t> shared_accesses(const LogRecords& records,
                                         const std::function<bool(const PlainRecord&)>& is_library_code) {
  Cells cells(records);
  std::vector<std::size_t> kept;
  std::vector<std::uint64_t> addresses;  // that the kept accesses and the atomics are at
  for (std::size_t i = 0; i < records.plain.size(); ++i) {
    const auto& fields = records.plain[i].fields;
    if (!is_access(fields.kind) || !cells.is_shared(fields.address, fields.size)) continue;
    if (is_library_code(records.plain[i]) && !cells.races(i)) continue;
    kept.push_back(i);
    addresses.push_back(fields.address);
  }
  for (const LocationRecord& location : records.locations)
    if (location.address != 0) addresses.push_back(location.address);
  std::sort(addresses.begin(), addresses.end());
  for (std::size_t i = 0; i < records.plain.size(); ++i)
    if (!is_access(records.plain[i].fields.kind) && holds_any(records.plain[i], addresses)) kept.push_back(i);
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace heddle::story
