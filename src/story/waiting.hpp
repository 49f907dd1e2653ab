// Locks that threads hold, and why threads wait for ever.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "findings/finding.hpp"
#include "story/execution_log.hpp"

namespace heddle::story {

struct HeldLock {
  LocationNumber location;
  EventNumber acquired;
};

/// The locks that the thread of the event holds there.
std::vector<HeldLock> locks_held(const ExecutionLog& log, EventNumber event);

struct WaitingStory {
  std::string cause;
  std::string advice;
  std::vector<EventNumber> events;
  std::map<EventNumber, std::string> texts = {};  ///< of events that say more than their operation
};

/// Why the threads of a deadlock or a livelock wait.
WaitingStory explain_waits(const findings::Finding& finding, const ExecutionLog& log);

/// The switches of threads before all that are left spin. Later switches belong to no bug: they continue for as long as
/// the execution runs.
std::uint64_t switches_before_livelock(const ExecutionLog& log);

}  // namespace heddle::story
