// How much virtual time passes when a thread reads a clock. A loop that polls a clock sees time pass, faster the longer
// it polls: otherwise a loop that runs for half a second would take millions of iterations.
#pragma once

#include <cstdint>

namespace heddle::engine {

class ClockReads {
 public:
  /// Less than a poll: what an ordinary read of a clock takes.
  static constexpr std::uint64_t tick = 100;

  void reset() { *this = {}; }

  /// The thread reads a clock at this place in the program. Returns the nanoseconds that pass. A result above `tick` is
  /// that of a thread that polls.
  std::uint64_t next(std::uint64_t place) {
    same_place_ = place == last_place_ ? same_place_ + 1 : 0;
    last_place_ = place;
    ++all_;
    const std::uint32_t by_place = doublings(same_place_, first_reads, reads_between_doublings);
    const std::uint32_t by_number = doublings(all_, many_reads, many_reads_between_doublings);
    return tick << (by_place > by_number ? by_place : by_number);
  }

 private:
  // Half a second passes within 200 reads at one place, an hour within 300.
  static constexpr std::uint32_t first_reads = 16, reads_between_doublings = 8;
  // A loop may read clocks at several places. After so many reads, it polls in all likelihood.
  static constexpr std::uint32_t many_reads = 4096, many_reads_between_doublings = 256;
  static constexpr std::uint32_t most_doublings = 30;  // 107 seconds in one read

  static constexpr std::uint32_t doublings(std::uint32_t reads, std::uint32_t first, std::uint32_t between) {
    const std::uint32_t count = reads < first ? 0 : 1 + (reads - first) / between;
    return count < most_doublings ? count : most_doublings;
  }

  std::uint64_t last_place_ = 0;
  std::uint32_t same_place_ = 0;  ///< reads in a row at last_place_
  std::uint32_t all_ = 0;
};

}  // namespace heddle::engine
