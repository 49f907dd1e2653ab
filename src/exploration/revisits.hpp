// Which reads a new write may revisit: Kokologiannakis, Marmanis, Gladstein, Vafeiadis: Truly Stateless, Optimal
// Dynamic Partial Order Reduction, POPL 2022, Algorithm 1.
//
// porf is (po | rf)+ with the edges from create to start, from finish to join, and between twins (symmetry.hpp).
//
// The paper splits a read-modify-write into a read and a write that is added right after it. Here it is one event, with
// the place of its read in the order of the search. That makes no difference: the places of the two parts differ only
// after a write a revisited the read, and the events added between them are porf-before a. Where the difference could
// matter, a would have to be deleted. But a is not maximally added, because the revisited read, which was added
// earlier, reads from it.
#pragma once

#include "base/arena.hpp"
#include "exploration/step.hpp"

namespace heddle::exploration {

/// The events that are porf-before the newest write a.
class Prefix {
 public:
  /// `steps` are the events before a in execution order. `reads_from` is what a reads, if it is an rmw.
  Prefix(Steps steps, const Step& a, std::uint32_t reads_from, base::Arena& scratch);

  bool contains(std::uint32_t event) const { return contains_[event] != 0; }
  /// Whether a revisit of `reader` by a keeps the event. It always keeps the reader.
  bool keeps(std::uint32_t event, std::uint32_t reader) const {
    return steps_[event].added < steps_[reader].added || contains(event);
  }

 private:
  Steps steps_;
  std::span<std::uint8_t> contains_;
};

/// The graph without its newest write a, for the question which reads a may revisit. Takes time in proportion to the
/// number of events, however many reads are asked for.
class Revisits {
 public:
  /// `prefix` is that of a. `oldest_reader` was added first of the reads that will be asked for. The steps are of this
  /// many locations at most.
  Revisits(Steps steps, std::size_t locations, const Prefix& prefix, std::uint32_t oldest_reader, base::Arena& scratch);

  /// Whether a may revisit the read at `reader`, of the same location, that is not porf-before a: the read and
  /// everything that the revisit deletes were maximally added.
  bool allowed(std::uint32_t reader) const {
    return is_maximally_added(reader) && newest_unmaximal_ <= steps_[reader].added;
  }

 private:
  /// A place in the order of the search, from 1. 0: porf-before a, hence before every event that a revisit can delete.
  using Place = std::uint32_t;
  static constexpr Place nowhere = 0xffffffffU;

  bool is_maximally_added(std::uint32_t event) const;
  Place place_of(std::uint32_t event) const { return prefix_.contains(event) ? 0 : steps_[event].added + 1; }
  void make_room(std::size_t locations, base::Arena& scratch);
  void index_places(std::uint32_t event);

  Steps steps_;
  const Prefix& prefix_;
  std::span<std::uint32_t> first_position_;  ///< by location: where its part of newer_write_ begins
  std::span<Place> newer_write_;             ///< by location and position: the first place of a write behind it
  std::span<Place> first_reader_;            ///< by event: the first place of an event that reads from it
  std::uint32_t newest_unmaximal_ = 0;       ///< events added before this are in no set that a revisit may delete
};

}  // namespace heddle::exploration
