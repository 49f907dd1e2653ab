// The relations between the events of a picture, as arrows.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "picture/picture.hpp"

namespace heddle::picture {

enum class Relation : std::uint8_t {
  rf,         ///< reads-from: from a write to a read
  mo,         ///< modification order: from a write to the next one of its location
  fr,         ///< from-reads: from a read to the write that follows the one it reads
  sw,         ///< synchronises-with, across threads
  hb,         ///< happens-before without what follows from other arrows
  missed,     ///< from a stale read to the newest write that it missed
  unordered,  ///< a data race: between two accesses that happens-before does not order
};
/// Those that the user can choose. The other two are always drawn.
inline constexpr std::array chosen_relations{Relation::rf, Relation::mo, Relation::fr, Relation::sw, Relation::hb};

/// "rf", "mo", ...
const char* name_of(Relation relation);
/// What a legend says: "reads from".
const char* meaning_of(Relation relation);

struct Edge {
  Relation relation;
  EventIndex from;
  EventIndex to;
};

/// All edges between events that `shown` has. mo and hb, which are transitive, lead past the others. hb has edges
/// within lanes, too, but not from initial values.
std::vector<Edge> edges_between(const Picture& picture, const std::vector<bool>& shown);

}  // namespace heddle::picture
