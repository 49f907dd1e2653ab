// What a memory order costs: the instructions that compilers emit for it, and a number that ranks choices of orders.
//
// The instructions are those of gcc for an operation on an int, which the test system.order_costs compares with this
// table. Other widths have the same ones with other suffixes. Alternatives are separated by " / ": the first is what
// gcc 12 emits, the second what clang or an older gcc does.
#pragma once

#include <string>

#include "channel/site_order.hpp"

namespace heddle::orders {

struct SiteCost {
  std::string x86;  ///< empty: no instruction
  /// Armv8.0. Read-modify-writes are a loop around a pair of instructions there: "ldaxr+stlxr".
  std::string arm;
  std::string arm_lse;  ///< Armv8.1, which has read-modify-writes as single instructions
  /// How much slower than the relaxed operation, or than no fence. Sums of weights are compared, see cost.cpp.
  int weight = 0;
};

/// Of an operation at a site. `plain` is the order of a fence that is left out. A read-modify-write has the
/// instructions of fetch_add. A compare-exchange has a relaxed failure, a failed one a relaxed success: use
/// cost_of_exchange() where both orders are known.
SiteCost cost_of(channel::SiteOperation operation, graph::MemoryOrder order);

/// A compare-exchange has one sequence of instructions for both orders.
SiteCost cost_of_exchange(graph::MemoryOrder success, graph::MemoryOrder failure);

}  // namespace heddle::orders
