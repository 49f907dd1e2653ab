// Whether a worker computes or waits, from /proc. The time limit on executions must not depend on what else runs on the
// machine, so it counts processor time, and real time only while the worker waits in the kernel.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>

namespace heddle::campaign {

/// A process and its descendants at one moment: under fork isolation a child executes, and a program may wait for
/// programs that it has started.
struct ProcessActivity {
  std::chrono::milliseconds processor_time{0};  ///< of all of them
  bool waits = false;                           ///< all of them sleep in the kernel, or are stopped
};

/// Nothing if /proc does not tell.
std::optional<ProcessActivity> activity_of(pid_t process);

/// Adds up the time that a process has used between looks at it.
class UsedTime {
 public:
  /// Forgets everything.
  void restart() { *this = {}; }
  /// The process is as `activity` says, at time `now`. Without an activity, real time counts.
  void look(std::chrono::steady_clock::time_point now, const std::optional<ProcessActivity>& activity);
  /// Processor time since the first look, and real time between looks at which the process waited.
  std::chrono::milliseconds total() const { return std::chrono::duration_cast<std::chrono::milliseconds>(total_); }

 private:
  std::optional<std::chrono::steady_clock::time_point> last_look_;
  std::optional<ProcessActivity> last_;
  std::chrono::nanoseconds total_{0};
};

}  // namespace heddle::campaign
