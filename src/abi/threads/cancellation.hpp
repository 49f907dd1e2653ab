// Cancellation points: calls in which a thread that was cancelled ends.
#pragma once

#include "abi/start/runtime.hpp"

namespace heddle::abi {

/// Ends the current thread, with PTHREAD_CANCELED as its result. Its cleanup handlers and destructors run.
[[noreturn]] void end_cancelled_thread();
/// The current thread has a request to end, and is at a cancellation point: ends it unless it has disabled that.
void answer_cancellation(engine::Engine& engine);

/// Makes `call`, in which the current thread may be cancelled. A handler of a signal that runs in the meantime ends the
/// call as `interruptible` says.
template <typename Call>
auto at_cancellation_point(engine::Engine& engine, engine::Interruptible interruptible, Call call) {
  engine::ProgramThread& self = engine.current();
  const bool was_at_point = self.cancellation.at_point;
  self.cancellation.at_point = true;
  if (self.cancellation.is_requested) [[unlikely]]
    answer_cancellation(engine);
  self.interruptible = interruptible;
  const auto result = call();
  self.interruptible = engine::Interruptible::never;
  self.cancellation.at_point = was_at_point;
  if (self.wait_end == engine::WaitEnd::by_cancellation) [[unlikely]]
    end_cancelled_thread();
  return result;
}
template <typename Call>
auto at_cancellation_point(engine::Engine& engine, Call call) {
  return at_cancellation_point(engine, engine::Interruptible::never, call);
}

}  // namespace heddle::abi
