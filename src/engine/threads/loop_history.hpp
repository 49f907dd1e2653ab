// What a thread has done that tells whether it waits in a loop. The parts of the engine report here what the thread
// does; recognisers of loops read it (docs/internals/loops.md).
#pragma once

#include <cstdint>

#include "engine/threads/closed_loop.hpp"
#include "engine/threads/retry_window.hpp"
#include "engine/threads/spin.hpp"
#include "engine/threads/waiting_loop.hpp"

namespace heddle::engine {

struct LoopHistory {
  // In this order in memory: what changes at every effect is together.
  SpinDetector spin;
  WaitingLoop waiting;
  RetryWindow retries;
  ClosedLoop closed;

  void reset() {
    spin.reset();
    waiting.reset();
    retries.reset();
    closed.reset();
  }
  /// The thread had an effect that others can see: what it did before is no part of a loop that waits.
  void record_effect() {
    spin.forget_reads();
    waiting.forget_places();
    retries.forget();
  }
  /// It stored what it had stored there before. A loop that does so may wait (waiting_rounds.hpp).
  void record_repeated_effect() {
    spin.forget_reads();
    retries.forget();
  }
  /// A loop that locks and unlocks a mutex may wait, too.
  void record_lock(const void* mutex) {
    record_repeated_effect();
    waiting.lock(mutex);
  }
  void record_unlock(const void* mutex) {
    record_repeated_effect();
    waiting.unlock(mutex);
  }
  void record_plain_write(std::uintptr_t address, std::size_t size, bool is_on_own_stack) {
    retries.record_write(address, size);
    if (is_on_own_stack) return;
    spin.forget_reads();
    waiting.forget_places();
  }
  /// It read a clock: it waits for time, not for a thread.
  void record_clock_read() {
    closed.reset();
    waiting.forget_places();
    retries.forget();
  }
  /// It waited for nothing, and is to make at least one more iteration before it is stopped again.
  void grant_iteration() {
    spin.forget_reads();
    waiting.forget_places();
  }
};

}  // namespace heddle::engine
