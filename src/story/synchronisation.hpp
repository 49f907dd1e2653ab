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

  bool synchronises() const { return release && acquire; }
};

/// The passages of a log, which must outlive it.
class Passages {
 public:
  explicit Passages(const ExecutionLog& log);

  /// All passages into `read` from other threads, the newest write first.
  std::vector<Passage> into(EventNumber read) const;
  /// How many there are.
  std::size_t count_into(EventNumber read) const;

 private:
  /// The newest release fence of the thread before the write.
  std::optional<EventNumber> release_fence_before(EventNumber write) const;
  /// The first acquire fence of the thread after the read.
  std::optional<EventNumber> acquire_fence_after(EventNumber read) const;
  /// Calls `use` with each write of another thread that passes a value to `read`, the newest first.
  template <typename Use>
  void for_each_source(EventNumber read, Use use) const;

  const ExecutionLog& log_;
  std::vector<EventNumber> fences_;
};

/// Fills in Event::synchronises_with for atomic operations and fences.
void add_synchronisation(ExecutionLog& log);

}  // namespace heddle::story
