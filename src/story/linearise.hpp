// Sequentially consistent executions, told as such. The order in which heddle executes events may have reads that miss
// writes although another order of the same events has none: that of a search, and that of reads which could have come
// earlier.
#pragma once

#include <optional>
#include <vector>

#include "story/execution_log.hpp"

namespace heddle::story {

/// Puts the events into an order in which every read takes the newest value, if there is one and the log is not long.
/// Returns the old number of each event; nothing: the log is as it was.
std::optional<std::vector<EventNumber>> linearise(ExecutionLog& log);

/// Whether linearise() would find an order, or the log has no stale reads already.
bool is_sequentially_consistent(const ExecutionLog& log);

}  // namespace heddle::story
