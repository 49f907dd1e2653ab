// Waits that something outside of the program's threads can end: data of another process, the end of a child process.
#pragma once

namespace heddle::engine {

class OutsideWaits {
 public:
  /// No thread is enabled. Looks whether a thread can go on after all, and blocks the process until one can if only the
  /// outside can change that. `time_can_pass`: a sleep or a timed wait would end, so blocking is for a short time only.
  /// Returns true if a thread is enabled now.
  virtual bool resolve_stuck(bool time_can_pass) = 0;

 protected:
  ~OutsideWaits() = default;
};

}  // namespace heddle::engine
