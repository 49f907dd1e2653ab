// Random numbers that are not decisions of the strategy: those that the program asks for, and the engine's own. They
// depend on the seed and the execution's number only, because a replay has no strategy and must meet the same numbers.
// Most executions need few of them, so a generator is seeded at its first use.
#pragma once

#include <cstdint>

#include "base/random.hpp"

namespace heddle::engine {

class Dice {
 public:
  void set_seed(std::uint64_t seed) {
    seed_ = seed;
    differs_ = false;
  }
  void begin_execution(std::uint64_t number) {
    execution_ = number;
    has_programs_ = has_engines_ = false;
  }

  /// The first number of engines(), scaled below `bound`, computed without seeding the generator.
  std::uint64_t first_below(std::uint64_t bound) const {
    return base::Random::first_below(bound, engines_seed(), execution_);
  }
  /// The engine's generator. It starts at its second number; first_below() is the first.
  base::Random& engines() {
    if (has_engines_) return engines_;
    has_engines_ = true;
    engines_.begin(engines_seed(), execution_);
    engines_.next();
    return engines_;
  }

  /// True in one of `odds` executions: those in which waits may be over for no reason.
  bool is_spurious_execution(std::uint64_t odds) const {
    return base::Random::first_below(odds, seed_ ^ 0x7370757269ULL, execution_) == 0;
  }

  /// For rand(), getrandom() and the other sources of randomness of the program.
  std::uint64_t next_for_program() {
    if (!has_programs_) {
      differs_ = true;
      begin_programs(0x70726f6772616dULL, execution_);
    }
    return programs_.next();
  }
  /// True if the program has got numbers, since set_seed(), that differ from execution to execution.
  bool differs() const { return differs_; }
  /// For srand() and its like: from here on the program gets the same numbers in every execution.
  void seed_programs(std::uint64_t seed) { begin_programs(seed, 0); }

 private:
  std::uint64_t engines_seed() const { return seed_ ^ 0x656e67696e65ULL; }
  void begin_programs(std::uint64_t seed, std::uint64_t stream) {
    programs_.begin(seed_ ^ seed, stream);
    has_programs_ = true;
  }

  std::uint64_t seed_ = 0;
  std::uint64_t execution_ = 0;
  base::Random programs_;
  base::Random engines_;
  bool has_programs_ = false;
  bool has_engines_ = false;
  bool differs_ = false;
};

}  // namespace heddle::engine
