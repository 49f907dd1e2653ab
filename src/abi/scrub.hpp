// Entry points clear the part of the stack that they used. Frames of unoptimised code have slots that are not yet
// written, with values that the runtime's own functions left there. These values differ between the iterations of a
// waiting loop, and the exhaustive search would not see that nothing has changed (engine/waiting_loop.hpp).
#pragma once

#include "abi/runtime.hpp"

namespace heddle::abi {

/// Clears the stack below the caller's frame. 999 of 1,000 operations use at most 1,032 bytes of it.
__attribute__((noinline)) inline void wipe_stack() {
  char used[1280];
  __builtin_memset(used, 0, sizeof used);
  asm volatile("" : : "r"(used) : "memory");
}

/// Clears the stack when it goes out of scope, if the thread may be in a waiting loop.
class Scrub {
 public:
  explicit Scrub(engine::Engine& engine) : engine_(engine) {}
  ~Scrub() {
    if (engine_.may_be_waiting()) [[unlikely]]
      wipe_stack();
  }
  Scrub(const Scrub&) = delete;
  Scrub& operator=(const Scrub&) = delete;

 private:
  engine::Engine& engine_;
};

}  // namespace heddle::abi
