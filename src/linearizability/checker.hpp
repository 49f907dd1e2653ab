// Is a history linearizable? The search of Wing and Gong (Testing and verifying concurrent objects, 1993): among the
// calls that no other remaining call has to precede, try each as the next one. With Lowe's improvement (Testing for
// linearizability, 2017): a set of calls that led to an equal state before is not tried again.
#pragma once

#include "base/arena.hpp"
#include "linearizability/history.hpp"

namespace heddle::linearizability {

/// Whether some order of the calls contains the history's and gives every call its result. The results of the calls in
/// `open` do not matter. Uses the arena, and gives its memory back.
bool is_linearizable(History history, Specification& specification, base::Arena& arena, CallSet open = 0);

/// How a history that is not linearizable can be explained to people: with as few reasons as possible.
struct Reasons {
  /// The calls whose results no order explains together, whatever the others return.
  CallSet unexplained = 0;
  /// For each call, the calls before it that matter: if any of these pairs had no order, there would be an explanation.
  /// None for a long history, if that takes too many steps to find out.
  std::span<CallSet> before;
};

/// The history is not linearizable. The reasons are in the arena.
Reasons find_reasons(History history, Specification& specification, base::Arena& arena);

}  // namespace heddle::linearizability
