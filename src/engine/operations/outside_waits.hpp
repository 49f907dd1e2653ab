// Waits that something outside of the program's threads can end: data of another process, the end of a child process.
#pragma once

#include "engine/operations/deadline.hpp"

namespace heddle::engine {

class OutsideWaits {
 public:
  /// No thread is enabled. Looks whether a thread can continue after all, and blocks the process until one can if only
  /// the outside can change that. `left`: in so many nanoseconds of virtual time a sleep or a timed wait would end, so
  /// blocking is for a limited time only. Returns true if a thread is enabled now.
  virtual bool resolve_stuck(Deadline left) = 0;
  /// A thread waits for what a child process does, which takes real time. Virtual time must not run ahead of it: it
  /// passes only while no thread can run, and not faster than real time.
  virtual bool awaits_child() const = 0;
  /// The execution has started a child process. When it does what is decided by real time.
  virtual bool has_started_child() const = 0;

 protected:
  ~OutsideWaits() = default;
};

}  // namespace heddle::engine
