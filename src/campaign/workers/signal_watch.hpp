// While a campaign runs, signals are blocked, and the main loop waits for them like for other events.
#pragma once

#include <chrono>
#include <csignal>

namespace heddle::campaign {

class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// Waits until a child process ends, the user asks to stop (Ctrl-C and the like), or `longest` has passed. Returns
  /// whether the user asked to stop.
  bool wait(std::chrono::microseconds longest);
  /// Whether the last call of wait() returned because of a signal.
  bool had_signal() const { return had_signal_; }

 private:
  sigset_t before_{};
  int fd_ = -1;
  bool end_was_wanted_ = false;
  bool had_signal_ = false;
};

}  // namespace heddle::campaign
