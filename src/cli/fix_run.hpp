// Checks the memory orders that an explanation suggests: runs the program with them (--orders), and keeps those that
// remove the finding.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "campaign/settings.hpp"
#include "findings/finding.hpp"
#include "story/execution_log.hpp"

namespace heddle::cli {

/// What is known of the campaign that showed the finding.
struct FixTask {
  const campaign::Settings& settings;
  run::Isolation isolation;
  /// Trials end then. Nothing: there is no limit.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  double rate = 0;  ///< the share of its executions that showed the finding; 0: not known
  /// Keys of its other findings, which a fix of this one need not remove.
  std::vector<std::uint64_t> others = {};
};

/// Replaces the suggested changes by those that remove the finding, each as weak as possible, and says how that was
/// checked. If changes of memory orders do not remove it, there are none afterwards. `log` is that of the finding.
void check_fix(const FixTask& task, findings::Finding& finding, const story::ExecutionLog& log);

}  // namespace heddle::cli
