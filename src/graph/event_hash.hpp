// What the canonical hash of a graph is made of. It is a sum with one term for each event, so that the order of
// execution does not matter; the term takes in all that identifies the event, and its edges, by canonical names.
#pragma once

#include <cstdint>

#include "base/hash.hpp"
#include "graph/event.hpp"

namespace heddle::graph {

/// The name of an event, of those of its thread (1: nobody's) and location (0: none). Plain stores share their odd
/// index with others of the same thread: the location tells them apart. The names of threads and locations are hashes,
/// and what the name is put into is hashed again.
inline std::uint64_t event_name(std::uint64_t thread, std::uint64_t location, std::uint32_t index) {
  return thread + (location << 21 | location >> 43) + index * 0x9e3779b97f4a7c15ULL;
}

/// The names that an event's edges lead to; 0: there is none.
struct EdgeNames {
  std::uint64_t source = 0;        ///< what it reads
  std::uint64_t predecessor = 0;   ///< in modification order
  std::uint64_t synchronised = 0;  ///< the sum of those that it synchronises with
};

inline std::uint64_t event_hash(const Event& event, std::uint64_t name, EdgeNames edges) {
  // A value that nobody determined is all that such an event is about.
  if (event.kind == EventKind::fence && event.order == MemoryOrder::plain)
    edges.predecessor = static_cast<std::uint64_t>(event.read) + 1;
  const std::uint64_t kind = static_cast<std::uint32_t>(event.kind) | static_cast<std::uint32_t>(event.order) << 8 |
                             std::uint32_t{event.size} << 16;
  // Names are as good as random numbers, but for the index: with an odd factor each, sums of them are, too.
  return base::multiply_and_fold(
      (name + kind * 0xd1342543de82ef95ULL) ^ 0x243f6a8885a308d3ULL,
      (edges.source + edges.predecessor * 0xff51afd7ed558ccdULL + edges.synchronised * 0xc4ceb9fe1a85ec53ULL) ^
          0x13198a2e03707345ULL);
}

}  // namespace heddle::graph
