#pragma once

#include "base/random.hpp"
#include "strategies/strategy.hpp"

namespace heddle::strategies {

class RandomStrategy final : public Strategy {
 public:
  /// `switch_probability` below 1: the running thread goes on with the rest of the probability.
  RandomStrategy(std::uint64_t seed, double switch_probability)
      : seed_(seed), switch_probability_(switch_probability) {}

  /// From the next execution on.
  void set_switch_probability(double probability) { switch_probability_ = probability; }

  bool begin_execution(std::uint64_t number) override;
  std::uint32_t choose(const Choice& choice) override;
  FastPath fast_path() override {
    return {.decider = this,
            .uniform = switch_probability_ < 1 ? nullptr : &random_,
            .calls = {false, false, false, false, false}};
  }

 private:
  std::uint32_t choose_thread(const Choice& choice);
  bool with_probability(double probability);

  std::uint64_t seed_;
  double switch_probability_;
  base::Random random_;
};

}  // namespace heddle::strategies
