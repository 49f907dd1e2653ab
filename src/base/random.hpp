// The only source of randomness: xoshiro256** (Blackman and Vigna), seeded by splitmix64. Every execution derives its
// own generator from (campaign seed, execution number), so its result does not depend on which worker runs it, or on
// earlier executions.
#pragma once

#include <cstdint>

namespace heddle::base {

inline std::uint64_t splitmix64(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

class Random {
 public:
  explicit Random(std::uint64_t seed = 1) {
    for (auto& word : state_) word = splitmix64(seed);
  }
  /// The generator of one execution of a campaign.
  Random(std::uint64_t campaign_seed, std::uint64_t execution) { begin(campaign_seed, execution); }
  /// Restarts as the generator of one execution.
  void begin(std::uint64_t campaign_seed, std::uint64_t execution) {
    std::uint64_t seed = seed_of(campaign_seed, execution);
    for (auto& word : state_) word = splitmix64(seed);
  }

  /// Random(campaign_seed, execution).below(bound), without computing the rest of the generator's state.
  static std::uint64_t first_below(std::uint64_t bound, std::uint64_t campaign_seed, std::uint64_t execution) {
    std::uint64_t seed = seed_of(campaign_seed, execution);
    splitmix64(seed);
    return scaled(scrambled(splitmix64(seed)), bound);
  }

  std::uint64_t next() {
    const std::uint64_t result = scrambled(state_[1]);
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// Uniform in [0, bound), bound > 0. The bias of the multiply-shift is below bound / 2^64.
  std::uint64_t below(std::uint64_t bound) { return scaled(next(), bound); }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  static std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  static std::uint64_t scrambled(std::uint64_t word) { return rotate(word * 5, 7) * 9; }
  static std::uint64_t scaled(std::uint64_t word, std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(word) * bound) >> 64);
  }
  static std::uint64_t seed_of(std::uint64_t campaign_seed, std::uint64_t execution) {
    return splitmix64(campaign_seed) ^ (execution * 0xd1342543de82ef95ULL + 1);
  }
  std::uint64_t state_[4];
};

}  // namespace heddle::base
