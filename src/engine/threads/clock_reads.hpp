// How much virtual time passes when a thread reads a clock, and with strict time also when it waits for a time that has
// passed, or fails to get what another thread holds. A loop that does only that sees time pass, faster the
// longer it runs: otherwise a loop that polls for half a second would take millions of iterations. Time does not pass
// faster for a thread that does something else between: a server that stamps each request with the time must not see an
// hour pass.
#pragma once

#include <cstdint>

namespace heddle::engine {

class ClockReads {
 public:
  /// Less than a poll: what an ordinary read of a clock takes.
  static constexpr std::uint64_t tick = 100;

  void reset() { *this = {}; }

  /// The thread reads a clock at this place in the program, after it made progress since the last read or not. Returns
  /// the nanoseconds that pass. A result above `tick` is that of a thread that polls.
  std::uint64_t next(std::uint64_t place, bool made_progress) {
    same_place_ = place == last_place_ && !made_progress ? same_place_ + 1 : 0;
    last_place_ = place;
    ++all_;
    const std::uint32_t by_place = doublings(same_place_, first_reads, reads_between_doublings, most_doublings);
    const std::uint32_t by_number = doublings(all_, many_reads, many_reads_between_doublings, most_for_many_reads);
    return tick << (by_place > by_number ? by_place : by_number);
  }

 private:
  // Half a second passes within 200 reads at one place, an hour within 300.
  static constexpr std::uint32_t first_reads = 16, reads_between_doublings = 8;
  // A loop may read clocks at several places, or work until a time has come. After so many reads, it waits for time in
  // all likelihood. Half a second passes within 5,000 reads.
  static constexpr std::uint32_t many_reads = 4096, many_reads_between_doublings = 64;
  // In one read at one place 107 seconds pass at most, otherwise 105 milliseconds: a long program may read the time so
  // often.
  static constexpr std::uint32_t most_doublings = 30, most_for_many_reads = 20;

  static constexpr std::uint32_t doublings(std::uint32_t reads, std::uint32_t first, std::uint32_t between,
                                           std::uint32_t most) {
    const std::uint32_t count = reads < first ? 0 : 1 + (reads - first) / between;
    return count < most ? count : most;
  }

  std::uint64_t last_place_ = 0;
  std::uint32_t same_place_ = 0;  ///< reads in a row at last_place_, without progress between them
  std::uint32_t all_ = 0;
};

}  // namespace heddle::engine
