#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "campaign/settings.hpp"

namespace heddle::session {

using Clock = std::chrono::steady_clock;
/// Nothing: there is none.
using Deadline = std::optional<Clock::time_point>;

inline bool has_passed(const Deadline& deadline) { return deadline && Clock::now() >= *deadline; }

/// When a task ends, if it has not ended by itself.
struct TimeLimit {
  std::chrono::milliseconds longest{0};  ///< of its executions, whose results so far count; 0: no limit
  Deadline deadline = {};                ///< the task ends with a problem then, whatever its executions do

  void apply_to(campaign::Settings& settings) const {
    settings.run.time = longest;
    settings.ends_at = deadline;
  }
};

}  // namespace heddle::session
