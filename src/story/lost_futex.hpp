// Threads that sleep on a futex although what they wait for has happened: the change came before the sleep, and no
// wake-up came after it.
#pragma once

#include <optional>
#include <string>

#include "findings/finding.hpp"
#include "story/execution_log.hpp"

namespace heddle::story {

struct LostFutexWakeup {
  enum class Kind : std::uint8_t {
    changed_after,    ///< sleep, change of the word: no wake-up follows
    changed_back,     ///< the word had the expected value, another one, and again the expected value
    other_value,      ///< the thread tested another value than the one that it sleeps on
    condition_before  ///< test of another variable, its change, sleep: the word was read after the test
  };
  Kind kind = Kind::changed_after;
  EventNumber look = 0;             ///< the kernel's read of the word, after which the thread sleeps
  std::optional<EventNumber> test;  ///< the thread's read that showed an old value, or another one
  EventNumber change = 0;           ///< the write of another thread after which the thread should not sleep
};

/// Why the thread, which waits for a futex at the end of the log, should not wait. Nothing: no such change is known.
std::optional<LostFutexWakeup> find_lost_futex(const findings::ThreadState& waiter, const ExecutionLog& log);

std::string lost_futex_text(const findings::ThreadState& waiter, const ExecutionLog& log, const LostFutexWakeup& lost);
std::string lost_futex_advice(const ExecutionLog& log, const LostFutexWakeup& lost);

}  // namespace heddle::story
