// Waits for what a driver or a host of workers has to look at: a signal, a message from another rank, or a time.
//
// MPI has no way to sleep until a message arrives: its calls spin. So this sleeps and looks, often if something
// happened lately, and every two milliseconds otherwise, which costs a thousandth of a processor.
#pragma once

#include <algorithm>
#include <chrono>

#include "campaign/signals.hpp"
#include "transport/transport.hpp"

namespace heddle::campaign {

class EventWait {
 public:
  /// Null: there are no other ranks.
  explicit EventWait(transport::Transport* transport) : transport_(transport) {}

  /// Returns whether the user asked to stop.
  bool wait(std::chrono::microseconds longest) {
    if (transport_ == nullptr) return signals_.wait(longest);
    const auto end = std::chrono::steady_clock::now() + longest;
    for (;;) {
      if (transport_->has_message()) return woken();
      const auto left = std::chrono::duration_cast<std::chrono::microseconds>(end - std::chrono::steady_clock::now());
      const bool wants_end = signals_.wait(std::clamp(nap_, std::chrono::microseconds(0), std::max(left, shortest)));
      if (wants_end || signals_.had_signal()) {
        (void)woken();
        return wants_end;
      }
      nap_ = std::min(nap_ + nap_ / 8, longest_nap);
      if (left <= nap_) return false;
    }
  }

 private:
  static constexpr std::chrono::microseconds shortest{50}, longest_nap{2000};
  bool woken() {
    nap_ = shortest;
    return false;
  }

  SignalWatch signals_;
  transport::Transport* transport_;
  std::chrono::microseconds nap_ = shortest;
};

}  // namespace heddle::campaign
