#include "story/atomicity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "story/thread_order.hpp"
#include "story/waiting.hpp"
#include "story/words.hpp"

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

/// A compare-exchange compares: if another thread has changed the value, the exchange fails and the program notices.
bool checks_value(const Event& event) {
  return event.kind == EventKind::failed_exchange ||
         (event.kind == EventKind::rmw && event.operation.find("compare_exchange") != std::string::npos);
}

/// A loop that polls a variable reads it at one place again and again.
bool is_poll(const Event& first, const Event& second) {
  return !writes(first) && !writes(second) && !first.stack.pcs.empty() && first.stack.pcs == second.stack.pcs;
}

/// Another thread wrote what was there before, so that no later access can tell.
bool changes_nothing(const Event& first, const Event& between) {
  const auto& before = writes(first) ? first.written : first.read;
  return writes(between) && before && between.written && *before == *between.written;
}

bool is_held(const std::vector<HeldLock>& locks, const HeldLock& lock) {
  return std::any_of(locks.begin(), locks.end(),
                     [&](const HeldLock& other) { return other.location == lock.location; });
}

using Place = std::tuple<std::string, unsigned, unsigned>;

Place place_in_source(const Event& event) {
  const findings::SourcePlace place = place_of(event);
  return {place.file, place.line, place.column};
}

class BrokenSteps {
 public:
  BrokenSteps(const ExecutionLog& log, std::optional<ThreadNumber> thread)
      : log_(log), thread_(thread), neighbours_(log), order_(log) {}

  std::optional<BrokenStep> find() {
    find_lost_updates();
    for (EventNumber second = log_.events.size(); second-- > 0;) {
      std::optional<EventNumber> between;
      for (EventNumber i = neighbours_.before[second]; i != no_event; i = neighbours_.before[i]) {
        const Event& event = log_.events[i];
        if (event.thread == log_.events[second].thread) {
          if (between) consider({i, *between, second});
          break;
        }
        if (!between || (!writes(log_.events[*between]) && writes(event))) between = i;
      }
    }
    return best_;
  }

 private:
  /// The smallest explains best.
  struct Rank {
    bool is_half_ordered;  ///< one of the two accesses is before the creation, or after the end, of the other thread
    bool is_of_other_threads;  ///< neither of its accesses is of the thread that fails
    unsigned pattern;
    std::tuple<Place, Place, Place> places;
    EventNumber from_end;

    auto operator<=>(const Rank&) const = default;
  };

  /// A read that misses a write, and then writes itself: the write that it missed comes between the two.
  void find_lost_updates() {
    for (EventNumber read = 0; read < log_.events.size(); ++read) {
      const Event& event = log_.events[read];
      if (!event.is_stale()) continue;
      for (EventNumber next = neighbours_.after[read]; next != no_event; next = neighbours_.after[next]) {
        if (log_.events[next].thread != event.thread) continue;
        if (writes(log_.events[next])) consider({read, event.missed.back(), next});
        break;
      }
    }
  }

  void consider(BrokenStep step) {
    const Event &first = log_.events[step.first], &between = log_.events[step.between];
    const Event& second = log_.events[step.second];
    if (!is_unserialisable(first, between, second) || changes_nothing(first, between)) return;
    if (checks_value(second) || is_poll(first, second)) return;
    const bool is_after = order_.is_before(step.first, step.between);
    const bool is_before = order_.is_before(step.between, step.second);
    if (is_after && is_before) return;
    Rank rank{is_after || is_before,
              !has_part(step),
              pattern_of(first, between, second),
              {place_in_source(first), place_in_source(second), place_in_source(between)},
              log_.events.size() - step.second};
    if (best_ && !(rank < best_rank_)) return;
    if (!find_lock(step)) return;
    best_ = step;
    best_rank_ = std::move(rank);
  }

  bool has_part(const BrokenStep& step) const {
    return !thread_ || log_.events[step.first].thread == thread_ || log_.events[step.between].thread == thread_;
  }

  /// A lost update first, then a check whose result is out of date when the thread acts on it.
  static unsigned pattern_of(const Event& first, const Event& between, const Event& second) {
    if (!writes(first)) return writes(second) ? 0 : 1;
    return writes(between) ? 2 : 3;
  }

  /// False: the three accesses hold one lock, so that the step is whole.
  bool find_lock(BrokenStep& step) const {
    const auto firsts = locks_held(log_, step.first), seconds = locks_held(log_, step.second);
    const auto others = locks_held(log_, step.between);
    for (const HeldLock& lock : firsts) {
      const bool is_kept = std::any_of(seconds.begin(), seconds.end(),
                                       [&](const HeldLock& held) { return held.acquired == lock.acquired; });
      if (!is_kept) continue;
      if (is_held(others, lock)) return false;
      step.lock = lock.acquired;
    }
    return true;
  }

  const ExecutionLog& log_;
  std::optional<ThreadNumber> thread_;
  Neighbours neighbours_;
  ThreadOrder order_;
  std::optional<BrokenStep> best_;
  Rank best_rank_{};
};

}  // namespace

std::optional<BrokenStep> find_broken_step(const ExecutionLog& log, std::optional<ThreadNumber> thread) {
  return BrokenSteps(log, thread).find();
}

std::string advice_for(const ExecutionLog& log, const BrokenStep& step) {
  if (step.lock)
    return fmt::format("hold {} at {}, too", variable_text(log, log.events[*step.lock]),
                       short_place(log, place_of(log.events[step.between])));
  const Event &first = log.events[step.first], &second = log.events[step.second];
  const bool is_atomic = first.order != MemoryOrder::plain && second.order != MemoryOrder::plain;
  // An exchange is one step already.
  if (checks_value(first) || !is_atomic) return "hold one lock over both";
  return "hold one lock over both, or make them one read-modify-write";
}

}  // namespace heddle::story
