#include "story/thread_order.hpp"

#include <algorithm>

namespace heddle::story {

ThreadOrder::ThreadOrder(const ExecutionLog& log) : log_(log), of_event_(log.events.size()) {
  bounds_.emplace_back(log.threads.size(), 0);
  std::vector<std::size_t> newest(log.threads.size(), 0);  // by thread, in bounds_
  for (EventNumber i = 0; i < log.events.size(); ++i) {
    const Event& event = log.events[i];
    if (!event.thread) continue;
    std::size_t& mine = newest[*event.thread];
    const bool is_edge = event.kind == EventKind::start || event.kind == EventKind::join;
    if (is_edge && !event.synchronises_with.empty()) {
      Bounds bounds = bounds_[mine];
      for (const EventNumber source : event.synchronises_with) {
        if (source >= i || !log.events[source].thread) continue;
        const Bounds& others = bounds_[of_event_[source]];
        for (ThreadNumber t = 0; t < bounds.size(); ++t) bounds[t] = std::max(bounds[t], others[t]);
        EventNumber& bound = bounds[*log.events[source].thread];
        bound = std::max(bound, source + 1);
      }
      mine = bounds_.size();
      bounds_.push_back(std::move(bounds));
    }
    of_event_[i] = mine;
  }
}

bool ThreadOrder::is_before(EventNumber a, EventNumber b) const {
  const auto first = log_.events[a].thread, second = log_.events[b].thread;
  if (!first || !second) return !first && second;
  return first == second ? a < b : a < bounds_[of_event_[b]][*first];
}

}  // namespace heddle::story
