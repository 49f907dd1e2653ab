// How many events the threads of a program have, learnt from earlier executions: for strategies that weight threads by
// the events that they still have to execute. Threads go by their canonical names, and locations by groups, so that the
// tables have a fixed size and can travel through the channel.
#pragma once

#include <cstdint>
#include <span>

#include "graph/event.hpp"

namespace heddle::strategies {

/// Tables hold at most this many threads.
inline constexpr std::size_t most_counted_threads = 64;
inline constexpr std::size_t location_groups = 16;

/// The group of a location. Locations are numbered in the order in which an execution first accesses them, which
/// differs little between the executions of most programs. Unlike their names, these numbers do not depend on where the
/// linker put a variable, so a heddle::check and a program with the same body have the same executions.
inline std::size_t location_group(graph::LocationId location) { return graph::number(location) % location_groups; }

/// The events of one thread and of all threads that it creates, by group of locations.
struct ThreadEvents {
  std::uint64_t name;  ///< graph::Thread::name
  std::uint32_t events[location_groups];
};

/// The sums over executions. Zero is the empty table. If there are too many threads, those with the smallest names
/// stay. An entry that stays has been there since its thread was first counted, because a smaller name is never
/// removed. So the table of all executions is the sum of the tables of any parts of them.
struct ThreadTotals {
  struct Entry {
    std::uint64_t name;
    std::uint64_t executions;
    std::uint64_t events[location_groups];
  };
  std::uint64_t count = 0;
  Entry entries[most_counted_threads] = {};  ///< sorted by name

  void add(std::span<const ThreadEvents> execution);
  ThreadTotals& operator+=(const ThreadTotals& other);

 private:
  Entry* find_or_insert(std::uint64_t name);
};

/// The average over executions.
struct ThreadAverages {
  std::uint64_t count;
  ThreadEvents threads[most_counted_threads];  ///< sorted by name

  /// Null: the thread is not known.
  const ThreadEvents* find(std::uint64_t name) const;
};
ThreadAverages averages(const ThreadTotals& totals);

}  // namespace heddle::strategies
