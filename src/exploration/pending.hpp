// The stack of what is left to explore: for every run with alternatives, its steps and its alternatives. A run is
// dropped when its last alternative is taken, so the stack needs memory for one path of the search only.
#pragma once

#include "base/arena.hpp"
#include "exploration/step.hpp"

namespace heddle::exploration {

class Pending {
 public:
  explicit Pending(base::Arena& arena) : arena_(arena) {}

  bool empty() const { return top_ == nullptr; }
  /// Pushes a copy of a run's steps and alternatives, if there are alternatives. Returns false, and pushes nothing, if
  /// there is no memory for them.
  [[nodiscard]] bool push(Steps steps, std::span<Alternative> alternatives);
  /// Removes the newest alternative and writes the plan of its graph.
  void pop(base::ArenaVector<PlannedEvent>& plan, base::Arena& plan_arena);
  /// The size of the stack, in runs and in bytes.
  std::uint32_t depth() const { return depth_; }
  std::size_t bytes() const { return arena_.used(); }
  /// The explored share of the search, from 0 to 1, if all options of an event have subtrees of the same size.
  double explored() const { return explored_; }
  /// Drops everything that is left to explore.
  void clear();

 private:
  struct Run {
    Run* below;
    std::size_t arena_before;
    Steps steps;
    std::span<const Alternative> alternatives;
  };

  base::Arena& arena_;
  Run* top_ = nullptr;
  std::uint32_t depth_ = 0;
  double share_ = 1;  ///< the share of the newest run, with everything that follows from it
  double explored_ = 0;
};

}  // namespace heddle::exploration
