// Entry points clear the part of the stack that they used, if stacks are compared. Frames of unoptimised code have
// slots that are not yet written, with values that the runtime's own functions left there. These values differ between
// the iterations of a waiting loop, and between executions. So the exhaustive search would see too late that nothing
// has changed (engine/threads/waiting_loop.hpp), and not after the same number of iterations in every execution. What
// an earlier execution left is cleared when a thread starts (engine/isolation/clean_stack.hpp).
#pragma once

#include "abi/start/runtime.hpp"
#include "engine/isolation/clean_stack.hpp"

namespace heddle::abi {

/// Clears the stack when it goes out of scope, if the stacks of threads are compared.
class Scrub {
 public:
  explicit Scrub(engine::Engine& engine) : engine_(engine) {}
  ~Scrub() {
    if (engine_.compares_stacks()) [[unlikely]]
      engine::wipe_stack();
  }
  Scrub(const Scrub&) = delete;
  Scrub& operator=(const Scrub&) = delete;

 private:
  engine::Engine& engine_;
};

}  // namespace heddle::abi
