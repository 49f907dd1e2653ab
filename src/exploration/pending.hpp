// What is left to explore: for every run that left something, its steps and the alternatives, the newest on top.
// Memory is what one path of the search needs: a run is dropped when its last alternative is taken.
#pragma once

#include "base/arena.hpp"
#include "exploration/step.hpp"

namespace heddle::exploration {

class Pending {
 public:
  explicit Pending(base::Arena& arena) : arena_(arena) {}

  bool empty() const { return top_ == nullptr; }
  /// Keeps a copy of what a run left, if it left anything.
  void push(Steps steps, std::span<Alternative> alternatives);
  /// Takes the newest alternative and writes the plan of its graph.
  void pop(base::ArenaVector<PlannedEvent>& plan, base::Arena& plan_arena);
  /// How deep the search is, in runs and in bytes.
  std::uint32_t depth() const { return depth_; }
  std::size_t bytes() const { return arena_.used(); }
  /// The part of the search that is done, from 0 to 1, if all options of one event lead to equally much.
  double explored() const { return explored_; }
  /// Forgets all that is left.
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
  double share_ = 1;  ///< of the newest run, with all that follows from it
  double explored_ = 0;
};

}  // namespace heddle::exploration
