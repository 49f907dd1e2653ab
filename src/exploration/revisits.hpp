// Which reads a new write may revisit: Kokologiannakis, Marmanis, Gladstein, Vafeiadis: Truly Stateless, Optimal
// Dynamic Partial Order Reduction, POPL 2022, Algorithm 1.
//
// porf is (po | rf)+ with the edges from create to start, from finish to join, and between twins (symmetry.hpp).
//
// The paper splits a read-modify-write into a read and a write that is added right after it; here it is one
// event with one place in the order of the search, the place of its read. That makes no difference: the two
// places differ only after the read was revisited by some write a, and what was added between them is porf-before
// a. Wherever the difference could matter, a would have to be deleted, and a is not maximally added, because the
// revisited read, which was added earlier, reads from it.
#pragma once

#include "base/arena.hpp"
#include "exploration/step.hpp"

namespace heddle::exploration {

/// The graph without its newest write a, as a sees it when it looks for reads to revisit.
class Revisits {
 public:
  /// `steps` are the events before a in execution order; a may read from another one than it did.
  Revisits(Steps steps, const Step& a, std::uint32_t reads_from, base::Arena& scratch);

  /// May the read at `reader`, of the same location, be made to read from a? That is: it is not porf-before a,
  /// and it and everything that has to be deleted was maximally added.
  bool allowed(std::uint32_t reader) const;
  /// Does the event stay in the graph (apart from the reader, which stays in any case)?
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
