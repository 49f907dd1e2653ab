#pragma once

#include "strategies/priorities.hpp"

namespace heddle::strategies {

extern const StrategyDescriptor pct_strategy;

class PctStrategy final : public Strategy, public Adjustable {
 public:
  struct Parameters {
    std::uint32_t depth = 1;                   ///< d; d - 1 <= k
    std::optional<std::uint32_t> length = {};  ///< k; nothing: drawn for every change point
  };
  static constexpr std::uint32_t max_depth = PrioritySchedule::max_points;

  PctStrategy(std::uint64_t seed, const Parameters& parameters, base::Arena& arena);

  void set_parameters(const ParameterValues& values) override {
    parameters_ = {.depth = values.whole(0), .length = values.known_whole(1)};
  }
  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const Choice& choice) override;
  FastPath fast_path() override { return {.decider = this, .calls = {.end_execution = false}}; }
  Facets facets() override { return {.adjustable = this}; }
  void executed(const graph::Event& event) override { schedule_.executed(event); }
  Observation observation() override { return {.length = schedule_.counted()}; }
  std::uint64_t escapes() const override { return schedule_.escapes(); }

  const PrioritySchedule& schedule() const { return schedule_; }

 private:
  std::uint64_t seed_;
  Parameters parameters_;
  PrioritySchedule schedule_;
};

}  // namespace heddle::strategies
