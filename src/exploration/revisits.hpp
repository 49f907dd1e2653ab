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

/// The graph without its newest write a, for the question which reads a may revisit.
class Revisits {
 public:
  /// `steps` are the events before a in execution order. `reads_from` is what a reads, if it is an rmw.
  Revisits(Steps steps, const Step& a, std::uint32_t reads_from, base::Arena& scratch);

  /// Whether a may revisit the read at `reader`, of the same location: the read is not porf-before a, and the read and
  /// everything that the revisit deletes were maximally added.
  bool allowed(std::uint32_t reader) const;
  /// Whether a revisit of `reader` keeps the event. It always keeps the reader.
  bool stays(std::uint32_t event, std::uint32_t reader) const {
    return steps_[event].added < steps_[reader].added || in_prefix_[event] != 0;
  }
  bool is_in_prefix(std::uint32_t event) const { return in_prefix_[event] != 0; }

 private:
  bool is_maximally_added(std::uint32_t event) const;

  Steps steps_;
  std::span<std::uint8_t> in_prefix_;  ///< porf-before a
};

}  // namespace heddle::exploration
