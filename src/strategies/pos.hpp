#pragma once

#include "base/random.hpp"
#include "strategies/strategy.hpp"

namespace heddle::strategies {

extern const StrategyDescriptor pos_strategy;

class PosStrategy final : public Strategy {
 public:
  /// `arena` outlives executions.
  PosStrategy(std::uint64_t seed, base::Arena& arena) : seed_(seed), arena_(arena) {}

  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const Choice& choice) override;
  FastPath fast_path() override { return {.decider = this, .calls = {.end_execution = false, .escapes = false}}; }
  void executed(const graph::Event& event) override;

 private:
  /// A thread's pending operation, as it was when it got its priority.
  struct PendingState {
    bool has_priority = false;
    bool writes = false;
    graph::LocationId location = graph::no_location;
    std::uint32_t times_passed_over = 0;
    std::uint64_t priority = 0;
  };

  PendingState& state(std::uint32_t actor);
  void redraw_racing(graph::LocationId location, bool writes);
  std::uint32_t choose_thread(const Choice& choice);

  std::uint64_t seed_;
  base::Arena& arena_;
  base::Random random_;
  base::ArenaVector<PendingState> pending_;
};

}  // namespace heddle::strategies
