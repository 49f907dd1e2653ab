// Checks the memory orders that an explanation suggests: runs the program with them (--orders), and keeps those that
// remove the finding.
#pragma once

#include <cstdint>
#include <vector>

#include "campaign/settings.hpp"
#include "findings/finding.hpp"
#include "session/time_limit.hpp"
#include "story/execution_log.hpp"
#include "story/explain.hpp"

namespace heddle::session {

/// What is known of the campaign that showed the finding.
struct FixTask {
  const campaign::Subject& subject;
  run::Isolation isolation;
  Deadline deadline = {};  ///< of the trials
  double rate = 0;         ///< the share of its executions that showed the finding; 0: not known
  /// Keys of its other findings, which a fix of this one need not remove.
  std::vector<std::uint64_t> others = {};
};

/// Replaces the suggested changes by those that remove the finding, each as weak as possible, and says how that was
/// checked. If changes of memory orders do not remove it, there are none afterwards. `log` is that of the finding.
void check_fix(const FixTask& task, findings::Finding& finding, const story::ExecutionLog& log);

/// Whether the story of the finding may do without stale reads: a model that has none shows the finding, too.
story::NeedsStaleReads needs_stale_reads(const std::vector<findings::ModelVerdict>& models);

}  // namespace heddle::session
