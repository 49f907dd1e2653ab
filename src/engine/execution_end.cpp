#include "engine/execution_end.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "engine/real.hpp"

namespace heddle::engine {

void ExecutionEnd::unsupported(const char* format, ...) {
  char text[sizeof channel_->progress.failure_text];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (channel_ != nullptr) {
    std::memcpy(channel_->progress.failure_text, text, sizeof text);
    channel_->progress.failure.store(channel::Failure::unsupported, std::memory_order_release);
    if (channel_->request.in_process != 0 && is_running_) end(strategies::Outcome::cut_off);
  }
  exit_process(3);
}

}  // namespace heddle::engine
