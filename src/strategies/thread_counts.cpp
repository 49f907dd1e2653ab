#include "strategies/thread_counts.hpp"

#include <algorithm>
#include <limits>

namespace heddle::strategies {

/// Null: the table is full of smaller names.
ThreadTotals::Entry* ThreadTotals::find_or_insert(std::uint64_t name) {
  Entry* end = entries + count;
  Entry* at = std::lower_bound(entries, end, name, [](const Entry& entry, std::uint64_t n) { return entry.name < n; });
  if (at != end && at->name == name) return at;
  if (at == entries + most_counted_threads) return nullptr;
  if (count == most_counted_threads) --end, --count;
  std::move_backward(at, end, end + 1);
  ++count;
  *at = {};
  at->name = name;
  return at;
}

void ThreadTotals::add(std::span<const ThreadEvents> execution) {
  for (const ThreadEvents& thread : execution) {
    Entry* entry = find_or_insert(thread.name);
    if (entry == nullptr) continue;
    ++entry->executions;
    for (std::size_t group = 0; group < location_groups; ++group) entry->events[group] += thread.events[group];
  }
}

ThreadTotals& ThreadTotals::operator+=(const ThreadTotals& other) {
  for (std::size_t i = 0; i < other.count; ++i) {
    const Entry& from = other.entries[i];
    Entry* to = find_or_insert(from.name);
    if (to == nullptr) continue;
    to->executions += from.executions;
    for (std::size_t group = 0; group < location_groups; ++group) to->events[group] += from.events[group];
  }
  return *this;
}

const ThreadEvents* ThreadAverages::find(std::uint64_t name) const {
  const ThreadEvents* end = threads + count;
  const ThreadEvents* at =
      std::lower_bound(threads, end, name, [](const ThreadEvents& t, std::uint64_t n) { return t.name < n; });
  return at != end && at->name == name ? at : nullptr;
}

ThreadAverages averages(const ThreadTotals& totals) {
  ThreadAverages result{};
  result.count = totals.count;
  for (std::size_t i = 0; i < totals.count; ++i) {
    const ThreadTotals::Entry& entry = totals.entries[i];
    result.threads[i].name = entry.name;
    for (std::size_t group = 0; group < location_groups; ++group) {
      const std::uint64_t mean = (entry.events[group] + entry.executions / 2) / entry.executions;
      result.threads[i].events[group] =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(mean, std::numeric_limits<std::uint32_t>::max()));
    }
  }
  return result;
}

}  // namespace heddle::strategies
