// Small straight-line programs over a few atomic variables, drawn at random.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "graph/event.hpp"

namespace heddle::testing {

struct Operation {
  enum class Kind : std::uint8_t { load, store, fetch_add, compare_exchange, weak_compare_exchange, fence };
  Kind kind = Kind::load;
  graph::MemoryOrder order = graph::MemoryOrder::relaxed;
  graph::MemoryOrder failure_order = graph::MemoryOrder::relaxed;
  std::uint32_t location = 0;
  std::int64_t value = 0;     ///< stored, added, or put in place of the expected value
  std::int64_t expected = 0;  ///< compare-exchange
};

struct Program {
  std::uint32_t locations = 1;
  std::vector<std::vector<Operation>> threads;

  /// In the litmus format.
  std::string text() const;
};

struct Shape {
  std::uint32_t most_threads = 4;
  std::uint32_t most_events = 10;
  std::uint32_t most_locations = 3;
  std::uint32_t seq_cst_percent = 40;  ///< of the orders that are drawn
  std::uint32_t fence_percent = 15;
  std::uint32_t plain_percent = 0;  ///< of loads and stores
};

Program random_program(base::Random& random, const Shape& shape);

/// Thread i goes from location i to location i + 1, round in a circle: where weak behaviours are. One access may be
/// doubled and a fence may stand between; most_events and most_locations do not matter.
Program random_cycle(base::Random& random, const Shape& shape);

}  // namespace heddle::testing
