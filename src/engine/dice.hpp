// Random numbers that are nobody's decision: those that the program asks for, and the engine's own. They are functions
// of the seed and the execution, not of the strategy: a replay has none, and must meet the same numbers. Most
// executions need hardly any, so generators are seeded when they are asked.
#pragma once

#include <cstdint>

#include "base/random.hpp"

namespace heddle::engine {

class Dice {
 public:
  void set_seed(std::uint64_t seed) { seed_ = seed; }
  void begin_execution(std::uint64_t number) {
    execution_ = number;
    has_programs_ = has_engines_ = false;
  }

  /// The first of the engine's numbers, below `bound`.
  std::uint64_t first_below(std::uint64_t bound) const {
    return base::Random::first_below(bound, engines_seed(), execution_);
  }
  /// Those behind the first.
  base::Random& engines() {
    if (has_engines_) return engines_;
    has_engines_ = true;
    engines_.begin(engines_seed(), execution_);
    engines_.next();
    return engines_;
  }

  std::uint64_t next_for_program() {
    if (!has_programs_) begin_programs(0x70726f6772616dULL, execution_);
    return programs_.next();
  }
  /// srand() and the like: what comes then is the same in every execution.
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
};

}  // namespace heddle::engine
