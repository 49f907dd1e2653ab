// The two events of a log that are the accesses of a data race or of a use after free. Stories, pictures and debugger
// sessions take them from here, so that all of them are about the same accesses.
#pragma once

#include <optional>

#include "findings/finding.hpp"
#include "story/execution_log.hpp"

namespace heddle::story {

struct RacingEvents {
  std::optional<EventNumber> first;   ///< accesses[1] of the finding: the earlier one
  std::optional<EventNumber> second;  ///< accesses[0] of the finding: the one that showed it
};

/// The position behind the newest event that can matter to the finding: what was executed before it, and what the
/// thread that showed it was about to do.
EventNumber end_of_story(const findings::Finding& finding, const ExecutionLog& log);

/// An event is an access of the finding if thread, program counter and memory agree: it covers the first byte that both
/// accesses touch. A line of a loop has many events, and only one of them raced. Of several events that agree, the
/// newest before `end` is meant, as the race detector keeps the newest access to a byte.
RacingEvents find_racing_events(const findings::Finding& finding, const ExecutionLog& log, EventNumber end);

/// What the event accesses, if that includes the first byte that the accesses of the finding have in common.
std::optional<findings::TouchedBytes> bytes_of_finding(const findings::Finding& finding, const ExecutionLog& log,
                                                       const Event& event);

}  // namespace heddle::story
