// While a campaign runs, signals are news to wait for, not interruptions.
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

  /// Returns after `longest`, or as soon as a child ended or the user wants an end. True: the latter.
  bool wait(std::chrono::milliseconds longest);

 private:
  sigset_t before_{};
  int fd_ = -1;
};

}  // namespace heddle::campaign
