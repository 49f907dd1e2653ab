// All weakest assignments of memory orders with which a program is right.
//
// An assignment gives an order to each of some dimensions (an operation at a place of the source). The search looks in
// the box between a lowest and a highest assignment. It uses one fact: behaviour is monotone, so that an assignment
// that is wrong is wrong in everything below it, and one that is right is right in everything above it
// (orders/lattice.hpp).
//
// Algorithm: implicit hitting sets (MARCO; Reiter's tree). The oracle keeps what it has learnt from wrong runs: each
// bug is a witness that shows in some assignments, and these are known to be wrong without running them.
//
//   1. A node is an upper bound U; the first is the highest assignment. A node whose U is known to be wrong is closed:
//      everything below U is wrong.
//   2. If a known answer a is below U, every other answer below U is not above a, so it is lower than a in some
//      dimension d. The node is replaced by one child for each d and each strongest order there that is not above a.
//   3. Otherwise U is lowered, one dimension after the other, as far as it is not known to be wrong. The result m has
//      nothing below it that is not known to be wrong. It is run. If it is right, it is an answer, since it is right
//      and everything below it is wrong. If it is wrong, the oracle has learnt something that excludes it.
//
// Each run yields an answer, or a witness that no earlier one implies; both are finite. When no node is left, the nodes
// that were closed cover all assignments that are not above an answer: the answers are complete.
//
// Runs that sample executions may miss a bug. If a witness later shows in an answer, the answer goes, and the search
// begins again with what it knows.
//
// Nodes are run in batches of a fixed size, chosen with what was known at the beginning of the batch, and learnt from
// in their order. So the result does not depend on how many of a batch run at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "orders/lattice.hpp"

namespace heddle::orders {

/// An order for each dimension.
using Assignment = std::vector<MemoryOrder>;

/// Whether `a` is at most as strong as `b` in every dimension.
bool is_at_most(const Assignment& a, const Assignment& b);

struct Box {
  std::vector<SiteOperation> operations;  ///< of the dimensions
  Assignment lowest, highest;
  /// The dimensions in the order in which they are lowered, which decides which answer is found first.
  std::vector<std::size_t> priority;
};

enum class Judgement : std::uint8_t { right, wrong, unknown };

/// What knows which assignments are right.
class Oracle {
 public:
  virtual ~Oracle() = default;
  /// Whether something that was learnt shows that the assignment is wrong.
  virtual bool is_known_wrong(const Assignment& assignment) = 0;
  /// Runs the program with each assignment, and learns from what is wrong. Afterwards is_known_wrong() of each that
  /// was judged wrong is true. Nothing: the user or a limit has ended the search.
  virtual std::vector<Judgement> run(std::span<const Assignment> assignments) = 0;
};

struct MinimalAnswers {
  std::vector<Assignment> answers;  ///< in the order in which they were found
  bool is_complete = false;         ///< there are no others
  std::uint64_t unknown = 0;        ///< assignments whose runs said neither right nor wrong: counted as wrong
};

struct SearchLimits {
  std::size_t most_answers = 64;
  std::size_t batch = 8;
  /// Called before each batch with the answers so far and the number of nodes that are left; may be empty.
  std::function<void(const MinimalAnswers&, std::size_t nodes)> on_batch = {};
};

MinimalAnswers find_minimal(const Box& box, Oracle& oracle, const SearchLimits& limits);

}  // namespace heddle::orders
