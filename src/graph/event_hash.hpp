// The terms of a graph's canonical hash. The hash is a sum with one term per event, so it does not depend on the order
// of execution. A term hashes the event's canonical name, its kind, and the canonical names that its edges lead to.
#pragma once

#include <cstdint>

#include "base/hash.hpp"
#include "graph/event.hpp"

namespace heddle::graph {

/// The canonical name of an event. `thread` and `location` are canonical names; 1 stands for no thread, 0 for no
/// location. Plain stores of a thread may share one odd index; the location tells them apart. A simple mix is enough:
/// the names of threads and locations are hashes, and event_hash() hashes the result again.
inline std::uint64_t event_name(std::uint64_t thread, std::uint64_t location, std::uint32_t index) {
  return thread + (location << 21 | location >> 43) + index * 0x9e3779b97f4a7c15ULL;
}

/// The canonical names that an event's edges lead to; 0 if there is no such edge.
struct EdgeNames {
  std::uint64_t source = 0;        ///< the write that the event reads from
  std::uint64_t predecessor = 0;   ///< the preceding write in modification order
  std::uint64_t synchronised = 0;  ///< the sum over the events that the event synchronises with
};

inline std::uint64_t event_hash(const Event& event, std::uint64_t name, EdgeNames edges) {
  // A plain fence stands for a nondeterministic value (Operation::any_value), which then is part of the graph.
  if (event.kind == EventKind::fence && event.order == MemoryOrder::plain)
    edges.predecessor = static_cast<std::uint64_t>(event.read) + 1;
  const std::uint64_t kind = static_cast<std::uint32_t>(event.kind) | static_cast<std::uint32_t>(event.order) << 8 |
                             std::uint32_t{event.size} << 16;
  // Names are nearly random numbers. Odd factors keep sums of them nearly random.
  return base::multiply_and_fold(
      (name + kind * 0xd1342543de82ef95ULL) ^ 0x243f6a8885a308d3ULL,
      (edges.source + edges.predecessor * 0xff51afd7ed558ccdULL + edges.synchronised * 0xc4ceb9fe1a85ec53ULL) ^
          0x13198a2e03707345ULL);
}

}  // namespace heddle::graph
