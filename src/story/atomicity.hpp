// Two accesses of a thread to one variable that should be one step, with an access of another thread between them.
#pragma once

#include <optional>
#include <string>

#include "story/execution_log.hpp"

namespace heddle::story {

struct BrokenStep {
  EventNumber first;    ///< of one thread
  EventNumber between;  ///< of another thread, which no order of whole steps explains
  EventNumber second;   ///< the next access of the first thread to the variable
  /// The event by which the thread took a lock that it holds over both accesses, and that `between` does not hold.
  std::optional<EventNumber> lock = std::nullopt;
};

/// The triple that explains a failure of `thread` best. What the creation and the joining of threads order in every
/// execution is no such triple, nor is a compare-exchange after a read: it finds out itself that the value has changed.
/// Of several, the places in the source decide, so that two executions of one bug name the same accesses.
std::optional<BrokenStep> find_broken_step(const ExecutionLog& log, std::optional<ThreadNumber> thread);

/// "hold one lock over both, or make them one read-modify-write".
std::string advice_for(const ExecutionLog& log, const BrokenStep& step);

}  // namespace heddle::story
