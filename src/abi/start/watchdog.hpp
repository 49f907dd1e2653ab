// Under heddle::check there is no driver that notices a stuck execution. A timer does instead.
#pragma once

#include <time.h>

#include <cstdint>

#include "channel/channel.hpp"

namespace heddle::abi {

/// While a Watchdog exists, an execution of this process that has no visible operation for `seconds` ends with a
/// finding of kind "limit". They are seconds of processor time, or of real time while the thread waits in the kernel,
/// so that the result does not depend on what else runs. Needs the signal handlers of abi/start/crash.cpp.
class Watchdog {
 public:
  /// With 0 seconds there is no timer. The timer signals the kernel thread that constructs the object.
  Watchdog(const channel::Channel& channel, double seconds);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Called by the signal handler, several times per timeout. `waits_in_kernel`: the signal interrupted a system call.
  /// Returns whether the time is up.
  static bool has_waited_long_enough(bool waits_in_kernel);

 private:
  timer_t timer_{};
  bool is_running_ = false;
};

}  // namespace heddle::abi
