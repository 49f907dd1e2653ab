// heddle::check has no driver beside it that notices when an execution does not come on: a timer looks.
#pragma once

#include <time.h>

#include <cstdint>

#include "channel/channel.hpp"

namespace heddle::abi {

/// While it lives, an execution of this process without a visible operation for `seconds` is ended with a finding of
/// kind "limit". The handlers of abi/crash.cpp must be there.
class Watchdog {
 public:
  /// 0: none. Belongs to the kernel thread that makes it.
  Watchdog(const channel::Channel& channel, double seconds);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// For the signal handler, which the timer calls several times in that span: is it over?
  static bool has_waited_long_enough();

 private:
  timer_t timer_{};
  bool is_running_ = false;
};

}  // namespace heddle::abi
