#pragma once

#include "base/random.hpp"
#include "strategies/strategy.hpp"

namespace heddle::strategies {

extern const StrategyDescriptor random_strategy;

class RandomStrategy final : public Strategy, public Adjustable {
 public:
  /// `switch_probability` below 1: with the remaining probability the running thread continues.
  explicit RandomStrategy(std::uint64_t seed, double switch_probability = 1)
      : seed_(seed), switch_probability_(switch_probability) {}

  void set_parameters(const ParameterValues& values) override { switch_probability_ = *values[0]; }
  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const Choice& choice) override;
  FastPath fast_path() override {
    return {.decider = this,
            .uniform = switch_probability_ < 1 ? nullptr : &random_,
            .calls = {.executed = false, .end_execution = false, .escapes = false}};
  }
  Facets facets() override { return {.adjustable = this}; }

 private:
  std::uint32_t choose_thread(const Choice& choice);
  bool with_probability(double probability);

  std::uint64_t seed_;
  double switch_probability_;
  base::Random random_;
  std::uint32_t weak_stores_ = 0;  ///< of this execution
};

}  // namespace heddle::strategies
