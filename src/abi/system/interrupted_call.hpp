// Which system call a signal has interrupted.
#pragma once

#include <cstdint>
#include <optional>

namespace heddle::abi {

/// False: interrupted_call() finds none on this processor.
#if defined(__x86_64__)
inline constexpr bool finds_interrupted_calls = true;
#else
inline constexpr bool finds_interrupted_calls = false;
#endif

struct InterruptedCall {
  std::optional<long> number;  ///< none: the kernel has overwritten it, and the code does not show it
};

/// The system call in which the thread was waiting when a signal came; none if the thread was running. `context` is
/// the third argument of the signal's handler.
std::optional<InterruptedCall> interrupted_call(const void* context);

/// The name of a system call in which threads wait, or null.
const char* name_of_system_call(long number);

}  // namespace heddle::abi
