// The stack of what is left to explore: for every run with alternatives, its steps and its alternatives. A run is
// dropped when its last alternative is taken, so the stack needs memory for one path of the search only.
//
// At the bottom of the stack may be branches of a subtree (subtree.hpp) that the search was given. The bottom of the
// stack is what the search explores last, and mostly the largest part: from there, give() takes what another process
// may explore instead.
#pragma once

#include "base/arena.hpp"
#include "base/exact_sum.hpp"
#include "exploration/step.hpp"
#include "exploration/subtree.hpp"

namespace heddle::exploration {

class Pending {
 public:
  explicit Pending(base::Arena& arena) : arena_(arena) {}

  bool empty() const { return top_ == nullptr && branches_.empty(); }
  /// Pushes a copy of a run's steps and alternatives, if there are alternatives. Returns false, and pushes nothing, if
  /// there is no memory for them.
  [[nodiscard]] bool push(Steps steps, std::span<Alternative> alternatives);
  /// Removes the newest alternative and writes the plan of its graph. Returns false if the branch that comes next is
  /// damaged. `kept`: the caller can keep so many steps of the last run, the first ones. The new run begins with steps
  /// of the last one if it can: their number is returned in `kept`, and the plan is without them.
  [[nodiscard]] bool pop(base::ArenaVector<PlannedEvent>& plan, base::Arena& plan_arena, std::uint32_t& kept);
  /// Drops everything, and takes these branches instead. Returns false, with nothing left to explore, if the bytes are
  /// damaged or there is no memory for them.
  [[nodiscard]] bool load(Bytes subtree);
  struct Gift {
    std::size_t branches = 0;
    std::size_t size = 0;  ///< bytes
    double share = 0;      ///< estimated, of the whole search
  };
  /// Removes branches from the bottom of the stack and writes them to `out`, as a subtree: at least `least` of them,
  /// and so many more that their estimated share is half of what is left. One is always kept, and what does not fit is.
  /// The result is a function of the state of the search, so that the search can be repeated.
  Gift give(std::size_t least, std::span<std::uint8_t> out, base::Arena& scratch);
  /// The size of the stack, in runs and in bytes.
  std::uint32_t depth() const { return depth_; }
  std::size_t bytes() const { return arena_.used(); }
  /// The explored share of the search, from 0 to 1, if all options of an event have subtrees of the same size.
  double explored() const { return explored_.rounded(); }
  const base::ExactSum& exactly_explored() const { return explored_; }
  /// Drops everything that is left to explore.
  void clear();

 private:
  struct Run {
    Run* below;
    std::size_t arena_before;
    Steps steps;
    std::span<const Alternative> alternatives;
    std::uint32_t shared;  ///< so many of its first steps are those of the next run on the stack, or of the last run
  };
  double share_left() const;
  Gift take_from_bottom(std::size_t least, std::span<std::uint8_t> out, base::Arena& scratch);
  void close_gap();

  base::Arena& arena_;
  std::span<const Bytes> branches_;  ///< below all runs; the last one comes next
  Run* top_ = nullptr;
  std::uint32_t depth_ = 0;
  double share_ = 1;  ///< the share of the newest run, with everything that follows from it
  base::ExactSum explored_;
};

}  // namespace heddle::exploration
