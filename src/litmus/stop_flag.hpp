// Ends a search from outside, for example from a signal handler. Searches check it before every execution.
#pragma once

#include <atomic>

namespace heddle::litmus {

using StopFlag = std::atomic<bool>;

inline bool is_set(const StopFlag* flag) { return flag != nullptr && flag->load(std::memory_order_relaxed); }

}  // namespace heddle::litmus
