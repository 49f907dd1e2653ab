// Lost wake-ups: a thread waits for a condition variable although the condition holds, because the change came between
// its test and its wait, or because no signal follows the change.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "findings/finding.hpp"
#include "story/execution_log.hpp"

namespace heddle::story {

struct LostWakeup {
  enum class Kind : std::uint8_t {
    change_between,  ///< test, change, signal, wait
    signal_first,    ///< signal, wait, change: no signal follows the change
    woke_another,    ///< wait, signal: it woke another thread
    no_signal,       ///< the change comes without a signal, after the test
    not_tested,      ///< signal, wait: the thread did not test a condition that another thread changed
  };
  Kind kind = Kind::not_tested;
  EventNumber wait = 0;                 ///< the event by which the thread unlocks the mutex and begins to wait
  std::optional<EventNumber> test;      ///< the thread's read of the condition
  std::optional<EventNumber> change;    ///< the write of another thread that it missed
  std::optional<EventNumber> signal;    ///< the newest one before the wait; woke_another: the newest one
  std::optional<EventNumber> mutex;     ///< the event by which the thread locked the mutex of the wait
  bool is_changed_under_mutex = false;  ///< the change holds the mutex of the wait
  bool is_tested_under_mutex = false;   ///< the test is in the same critical section as the wait
};

/// Why the thread, which waits for a condition variable at the end of the log, is not woken. Nothing: it has not been
/// signalled, and no condition is known.
std::optional<LostWakeup> find_lost_wakeup(const findings::ThreadState& waiter, const ExecutionLog& log);

/// "T0.1 read 0 from `ready` at line 18; T0 stored 1 ... and signalled ...; only then T0.1 began to wait ...".
std::string lost_wakeup_text(const findings::ThreadState& waiter, const ExecutionLog& log, const LostWakeup& lost);
std::string lost_wakeup_advice(const ExecutionLog& log, const LostWakeup& lost);

}  // namespace heddle::story
