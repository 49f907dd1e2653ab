// The accesses of a run by location and thread, and which events are porf-before which: so that a new write finds the
// reads that it may revisit without a look at all others.
//
// Each step has a vector clock: for each thread, the index of its newest event that is porf-before the step or is the
// step itself.
#pragma once

#include "base/arena.hpp"
#include "exploration/step.hpp"

namespace heddle::exploration {

class Accesses {
 public:
  void forget() {
    clocks_.forget();
    locations_.forget();
    previous_.forget();
  }

  /// `steps` ends with the new step.
  void add(Steps steps, base::Arena& arena);
  /// `steps` are all steps that were added. Forgets those from `count` on.
  void cut(Steps steps, std::uint32_t count);

  /// Calls visit(position) for each access to the location of the newest step `a` that is not porf-before `a`, whatever
  /// `a` reads.
  template <typename Visitor>
  void for_each_concurrent(Steps steps, const Step& a, Visitor visit) const {
    if (number(a.location) >= locations_.size()) return;
    for (const LastAccess& last : locations_[number(a.location)]) {
      if (last.thread == a.name.thread) continue;
      for (std::uint32_t at = last.position; at != initial && !is_before(steps, at, a); at = previous_[at]) visit(at);
    }
  }

 private:
  using Clock = std::span<std::uint32_t>;
  struct LastAccess {
    graph::ThreadId thread;
    std::uint32_t position;
  };

  static std::uint32_t entry(Clock clock, graph::ThreadId thread) {
    return number(thread) < clock.size() ? clock[number(thread)] : 0;
  }
  bool is_before(Steps steps, std::uint32_t event, const Step& a) const {
    const EventName& name = steps[event].name;
    const auto reaches = [&](std::uint32_t cause) {
      return cause != initial && name.index <= entry(clocks_[cause], name.thread);
    };
    return reaches(a.po_previous) || reaches(a.twin);
  }
  Clock clock_of(Steps steps, base::Arena& arena) const;

  base::ArenaVector<Clock> clocks_;                             ///< by position
  base::ArenaVector<base::ArenaVector<LastAccess>> locations_;  ///< by location
  base::ArenaVector<std::uint32_t> previous_;                   ///< by position: its thread's access before it
};

}  // namespace heddle::exploration
