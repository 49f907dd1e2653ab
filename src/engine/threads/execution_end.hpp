// How an execution ends from inside: the running fiber is abandoned and control returns to the root fiber, on which
// Engine::run waits.
#pragma once

#include <cstdarg>
#include <cstdint>

#include "channel/channel.hpp"
#include "engine/isolation/fiber.hpp"
#include "strategies/strategy.hpp"

namespace heddle::engine {

class ExecutionEnd {
 public:
  explicit ExecutionEnd(channel::Channel* channel) : channel_(channel) {}

  void begin_execution() {
    outcome_ = strategies::Outcome::completed;
    timed_out_ = false;
    exit_status_ = 0;
    is_running_ = true;
  }
  /// The root fiber is running again.
  void finish_execution() { is_running_ = false; }

  [[noreturn]] void end(strategies::Outcome outcome) {
    outcome_ = outcome;
    Fiber::abandon_for(root_);
  }
  /// The program does something that cannot be tested. The worker process ends with this sentence; inside a
  /// heddle::check only the execution ends.
  [[noreturn, gnu::cold, gnu::noinline]] void unsupported(const char* format, ...)
      __attribute__((format(printf, 2, 3)));
  /// The program breaks an assumption of the search, which ends as with unsupported(). Another search can continue.
  [[noreturn, gnu::cold, gnu::noinline]] void end_search(channel::SearchAssumption broken, const char* format, ...)
      __attribute__((format(printf, 3, 4)));

  /// What cannot be tested ends the execution only, from now on. False: it ends the worker.
  void forgive_failures(bool forgives) { forgives_ = forgives; }
  strategies::Outcome outcome() const { return outcome_; }
  /// A watchdog ends this execution.
  void set_timed_out() { timed_out_ = true; }
  bool timed_out() const { return timed_out_; }
  /// The program ends with this status.
  void set_exit_status(std::uint8_t status) { exit_status_ = status; }
  std::uint8_t exit_status() const { return exit_status_; }
  Fiber& root() { return root_; }

 private:
  [[noreturn]] void fail(channel::Failure failure, const char* format, va_list arguments);

  channel::Channel* channel_;
  Fiber root_;
  strategies::Outcome outcome_ = strategies::Outcome::completed;
  bool timed_out_ = false;
  std::uint8_t exit_status_ = 0;
  bool is_running_ = false;
  bool forgives_ = false;
};

}  // namespace heddle::engine
