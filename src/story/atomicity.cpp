#include "story/atomicity.hpp"

#include <limits>
#include <vector>

namespace heddle::story {

namespace {

bool is_access(const Event& event) {
  return event.location && event.thread &&
         (event.reads_memory() || event.kind == EventKind::store || event.kind == EventKind::plain_read ||
          event.kind == EventKind::plain_write);
}
bool writes(const Event& event) {
  return event.kind == EventKind::store || event.kind == EventKind::rmw || event.kind == EventKind::plain_write;
}

/// Of the eight combinations, these four are like no order in which the two accesses follow each other directly (Lu,
/// Tucek, Qin and Zhou, ASPLOS 2006).
bool is_unserialisable(const Event& first, const Event& between, const Event& second) {
  const bool is_written_between = writes(between);
  if (!writes(first)) return is_written_between;
  return is_written_between ? !writes(second) : writes(second);
}

constexpr EventNumber no_event = std::numeric_limits<EventNumber>::max();

/// By access: the one before it, or after it, to the same location; no_event: there is none.
struct Neighbours {
  std::vector<EventNumber> before, after;

  explicit Neighbours(const ExecutionLog& log)
      : before(log.events.size(), no_event), after(log.events.size(), no_event) {
    std::vector<EventNumber> newest(log.locations.size(), no_event);
    for (EventNumber i = 0; i < log.events.size(); ++i) {
      if (!is_access(log.events[i])) continue;
      EventNumber& last = newest[*log.events[i].location];
      before[i] = last;
      if (last != no_event) after[last] = i;
      last = i;
    }
  }
};

/// A read that misses a write, and then writes itself: the write that it missed comes between the two.
std::optional<BrokenStep> find_lost_update(const ExecutionLog& log, const Neighbours& neighbours) {
  for (EventNumber read = 0; read < log.events.size(); ++read) {
    const Event& event = log.events[read];
    if (!event.is_stale()) continue;
    for (EventNumber next = neighbours.after[read]; next != no_event; next = neighbours.after[next]) {
      const Event& later = log.events[next];
      if (later.thread != event.thread) continue;
      if (writes(later)) return BrokenStep{read, event.missed.back(), next};
      break;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<BrokenStep> find_broken_step(const ExecutionLog& log, std::optional<ThreadNumber> thread) {
  const Neighbours neighbours(log);
  if (const auto lost = find_lost_update(log, neighbours)) return lost;
  std::optional<BrokenStep> best;
  bool best_has_thread = false;
  for (EventNumber second = log.events.size(); second-- > 0 && !(best && (best_has_thread || !thread));) {
    const Event& end = log.events[second];
    std::optional<EventNumber> between;
    for (EventNumber i = neighbours.before[second]; i != no_event; i = neighbours.before[i]) {
      const Event& event = log.events[i];
      if (event.thread != end.thread) {
        if (!between || (!writes(log.events[*between]) && writes(event))) between = i;
        continue;
      }
      const bool has_thread = thread && (end.thread == *thread || (between && log.events[*between].thread == *thread));
      if (between && is_unserialisable(event, log.events[*between], end) &&
          (!best || (has_thread && !best_has_thread))) {
        best = BrokenStep{i, *between, second};
        best_has_thread = has_thread;
      }
      break;
    }
  }
  return best;
}

}  // namespace heddle::story
