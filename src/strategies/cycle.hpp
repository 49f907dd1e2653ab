// Potential happens-before cycles: what `heddle predict` looks for, and what the strategy `directed` tries to bring
// about (Burnim, Sen and Stergiou, ISSTA 2011, definitions 2 and 3).
//
// A cycle is a sequence of pairs of accesses. The two accesses of a pair are of one thread, in program order. The
// second access of a pair and the first access of the next pair conflict: other threads, the same location, at least
// one write. If every such conflict is resolved in the direction of the cycle, the execution is not sequentially
// consistent.
//
// Accesses are named by labels. A label stands for a source line and the kind of its access.
#pragma once

#include <cstdint>

namespace heddle::strategies {

inline constexpr std::uint32_t no_label = 0xffffffffU;

struct CyclePair {
  std::uint32_t first = no_label;   ///< ODD in the paper: comes late
  std::uint32_t second = no_label;  ///< EVEN in the paper: comes early
  /// The pair is one access, a store between two loads of other threads; `second` is the same label.
  std::uint32_t is_single = 0;

  bool operator==(const CyclePair&) const = default;
};

struct Cycle {
  static constexpr std::uint32_t most_pairs = 8;

  std::uint32_t size = 0;  ///< pairs; the length of the cycle is twice as much
  CyclePair pairs[most_pairs];

  bool operator==(const Cycle&) const = default;
};

}  // namespace heddle::strategies
