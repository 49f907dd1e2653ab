// Waits for what a driver or a host of workers has to look at: a signal, a message from another rank, or a time.
//
// MPI has no way to sleep until a message arrives: its calls spin. Ranks of the same machine send a signal with a
// message. For messages of other machines this sleeps and looks, in naps that become longer. While workers of this rank
// sample executions, no message is urgent: a round does not end without them, and they send a signal. While they all
// wait for another rank, a message is what they wait for.
#pragma once

#include <algorithm>
#include <chrono>

#include "campaign/worker_pool.hpp"
#include "campaign/workers/signal_watch.hpp"
#include "cluster/transport/transport.hpp"

namespace heddle::cluster {

class EventWait {
 public:
  /// Null: there are no other ranks.
  explicit EventWait(transport::Transport* transport) : transport_(transport) {}

  /// Returns whether the user asked to stop.
  bool wait(std::chrono::microseconds longest, campaign::WorkHere work) {
    if (transport_ == nullptr) return signals_.wait(longest);
    const auto end = std::chrono::steady_clock::now() + longest;
    for (;;) {
      if (transport_->has_message()) return woken();
      const auto left = std::chrono::duration_cast<std::chrono::microseconds>(end - std::chrono::steady_clock::now());
      if (left.count() <= 0) return false;
      const bool is_busy = transport_->is_busy(), has_signals = transport_->all_send_signals();
      const bool wants_end = signals_.wait(has_signals && !is_busy ? left : std::min(nap_, left));
      if (wants_end || signals_.had_signal()) {
        (void)woken();
        return wants_end;
      }
      nap_ = std::min(nap_ + nap_ / 2, is_busy ? longest_busy : longest_nap(work));
    }
  }

 private:
  static constexpr std::chrono::microseconds shortest{50};
  static constexpr std::chrono::microseconds longest_busy{500};  ///< while a message is on its way
  std::chrono::microseconds longest_nap(campaign::WorkHere work) const {
    using std::chrono::microseconds;
    switch (work) {
      case campaign::WorkHere::sampling: return microseconds(20'000);
      case campaign::WorkHere::searching: return microseconds(2000);
      case campaign::WorkHere::none: break;
    }
    // The search of `auto`, and the report, take long.
    const auto waited = std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - woken_at_);
    return std::clamp(waited / 16, microseconds(500), microseconds(5000));
  }
  bool woken() {
    nap_ = shortest;
    woken_at_ = std::chrono::steady_clock::now();
    return false;
  }

  campaign::SignalWatch signals_;
  transport::Transport* transport_;
  std::chrono::microseconds nap_ = shortest;
  std::chrono::steady_clock::time_point woken_at_ = std::chrono::steady_clock::now();
};

}  // namespace heddle::cluster
