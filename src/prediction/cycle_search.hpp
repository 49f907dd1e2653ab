// Phase I of Relaxer (Burnim, Sen and Stergiou, ISSTA 2011, algorithm 1): from the traces of sequentially consistent
// executions, the cycles that an execution under a relaxed memory model may have.
//
// The search departs from the paper in three points:
// - It works on classes of accesses (access_classes.hpp), so that its work does not grow with the length of loops.
// - The two accesses of a pair are to different locations, or are one store. A cycle with another pair contains a
//   smaller one, or a cycle at one location, which no model allows (Shasha and Snir, TOPLAS 1988).
// - A cycle is left out if any part of it is a cycle by itself, not only if its first pairs are.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "prediction/access_classes.hpp"
#include "strategies/cycle.hpp"

namespace heddle::prediction {

using strategies::Cycle;
using strategies::CyclePair;

struct SearchLimits {
  std::uint32_t length = 4;  ///< accesses in a cycle, at most; even
  std::uint64_t steps = 50'000'000;
  std::size_t cycles = 10'000;
};

class CycleSearch {
 public:
  explicit CycleSearch(const SearchLimits& limits) : limits_(limits) {}

  /// Adds the cycles of one more execution.
  void add(const Trace& trace);

  /// Every cycle once, whatever pair it begins with; short ones first, in the order in which they were found.
  std::vector<Cycle> cycles() const;
  /// Labels of loads whose thread has stored to the location before, so that they may read that store from its buffer.
  const std::set<std::uint32_t>& may_read_own() const { return may_read_own_; }
  /// Labels of loads of a location that several accesses write.
  const std::set<std::uint32_t>& may_read_others() const { return may_read_others_; }
  /// True: the search ended at a limit, and there may be more cycles.
  bool is_cut_off() const { return is_cut_off_; }
  std::uint64_t steps() const { return steps_; }

 private:
  struct Chain;
  void find_writes_behind_reads(const AccessClasses& classes);
  void extend(const AccessClasses& classes, Chain& chain);
  void add_pair(const AccessClasses& classes, Chain& chain, std::uint32_t first, std::uint32_t second);
  void report(const AccessClasses& classes, const Chain& chain);
  bool count_step();

  SearchLimits limits_;
  std::map<std::vector<std::uint32_t>, std::size_t> known_;  ///< by the labels from the smallest rotation on
  std::vector<Cycle> cycles_;
  std::set<std::uint32_t> may_read_own_, may_read_others_;
  std::uint64_t steps_ = 0;
  bool is_cut_off_ = false;
};

/// The cycle from the pair on that makes its sequence of labels the smallest.
Cycle canonical_rotation(const Cycle& cycle);

}  // namespace heddle::prediction
