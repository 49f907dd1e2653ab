// Decides, for a sampled execution in which only spinning threads are left, whether a thread can ever leave its loop. A
// thread whose registers and stack return to an earlier state, again and again, while no memory changes, will do the
// same for ever. A loop that counts never returns to an earlier state.
//
// The period of the loop is not known. So the state is compared with one saved state, which is replaced after 1, 2, 4,
// ... reads (Brent, An improved Monte Carlo factorization algorithm, 1980).
#pragma once

#include <cstdint>

namespace heddle::engine {

class ClosedLoop {
 public:
  void reset() { *this = {}; }

  /// The thread is about to read, in this local state. Nothing that the runtime knows of has changed since the last
  /// call.
  void compare_state(std::uint64_t state) {
    ++reads_;
    if (reads_ > 1 && state == saved_) {
      ++returns_;
      return;
    }
    if (returns_ == 0 && reads_ >= next_save_) {
      saved_ = state;
      next_save_ = 2 * reads_;
    }
  }
  /// The thread has come back to one state often, so it most probably waits.
  bool is_likely() const { return returns_ >= least_returns; }
  /// The thread will do the same for ever. The kernel and the C library have states of their own, which the runtime
  /// does not see: a thread that reads a file byte by byte may return to the same state until the file ends. Hence the
  /// large number of reads.
  bool is_certain() const { return is_likely() && reads_ >= least_reads; }

 private:
  static constexpr std::uint32_t least_returns = 64;
  static constexpr std::uint64_t least_reads = 16384;

  std::uint64_t saved_ = 0;
  std::uint64_t reads_ = 0;
  std::uint64_t next_save_ = 1;
  std::uint32_t returns_ = 0;
};

}  // namespace heddle::engine
