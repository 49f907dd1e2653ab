// Which atomic operations of a log synchronise with which, by the rules of C++20: a release write, or a release fence
// before a write, with an acquire read, or an acquire fence after a read, that reads from the write's release sequence.
#pragma once

#include <optional>
#include <vector>

#include "story/execution_log.hpp"

namespace heddle::story {

/// A path on which a value passed from one thread to another: from a write to a read that reads from it, or from a
/// read-modify-write that continues its release sequence.
struct Passage {
  EventNumber write;
  EventNumber read;
  std::optional<EventNumber> release;  ///< the write itself, or a release fence before it; none: neither releases
  std::optional<EventNumber> acquire;  ///< the read itself, or an acquire fence after it; none: neither acquires
  std::vector<EventNumber> between;    ///< the read-modify-writes of the release sequence between the two

  bool synchronises() const { return release && acquire; }
};

/// All passages into `read` from other threads, the newest write first.
std::vector<Passage> passages_into(const ExecutionLog& log, EventNumber read);

/// Fills in Event::synchronises_with for atomic operations and fences.
void add_synchronisation(ExecutionLog& log);

}  // namespace heddle::story
