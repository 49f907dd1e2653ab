// Two accesses of a thread to one variable that should be one step, with an access of another thread between them.
#pragma once

#include <optional>

#include "story/execution_log.hpp"

namespace heddle::story {

struct BrokenStep {
  EventNumber first;    ///< of one thread
  EventNumber between;  ///< of another thread, which no order of whole steps explains
  EventNumber second;   ///< the next access of the first thread to the variable
};

/// The last such triple of the execution; of several with the same end, the shortest. Prefers those that `thread` has a
/// part in.
std::optional<BrokenStep> find_broken_step(const ExecutionLog& log, std::optional<ThreadNumber> thread);

}  // namespace heddle::story
