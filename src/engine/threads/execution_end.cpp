#include "engine/threads/execution_end.hpp"

#include <cstdio>
#include <cstring>

#include "engine/isolation/real.hpp"

namespace heddle::engine {

void ExecutionEnd::unsupported(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fail(channel::Failure::unsupported, format, arguments);
}

void ExecutionEnd::end_search(channel::SearchAssumption broken, const char* format, ...) {
  if (channel_ != nullptr) channel_->progress.broken_assumption.store(broken, std::memory_order_relaxed);
  va_list arguments;
  va_start(arguments, format);
  fail(channel::Failure::other_search, format, arguments);
}

void ExecutionEnd::fail(channel::Failure failure, const char* format, va_list arguments) {
  if (forgives_ && is_running_) end(strategies::Outcome::cut_off);
  char text[sizeof channel_->progress.failure_text];
  std::vsnprintf(text, sizeof text, format, arguments);
  if (channel_ != nullptr) {
    std::memcpy(channel_->progress.failure_text, text, sizeof text);
    channel_->progress.failure.store(failure, std::memory_order_release);
    if (channel_->request.in_process != 0 && is_running_) end(strategies::Outcome::cut_off);
  }
  exit_process(3);
}

}  // namespace heddle::engine
