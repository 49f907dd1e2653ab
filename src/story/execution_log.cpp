#include "story/execution_log.hpp"

#include <algorithm>

namespace heddle::story {

const char* name_of(EventKind kind) {
  constexpr const char* names[] = {"initial value",
                                   "load",
                                   "store",
                                   "read-modify-write",
                                   "failed compare-exchange",
                                   "fence",
                                   "lock",
                                   "unlock",
                                   "create",
                                   "start",
                                   "join",
                                   "finish",
                                   "choice",
                                   "read",
                                   "write",
                                   "allocation",
                                   "free"};
  return names[static_cast<std::size_t>(kind)];
}

bool ExecutionLog::happens_before(EventNumber a, EventNumber b) const {
  const Event& first = events[a];
  const Event& second = events[b];
  if (!first.thread) return second.thread.has_value();
  if (!second.thread) return false;
  if (first.thread == second.thread) return first.index != second.index ? first.index < second.index : a < b;
  const std::uint32_t thread = graph_threads[*first.thread];
  return thread < second.clock.size() && second.clock[thread] >= first.index;
}

void ExecutionLog::cut_off(EventNumber end) {
  if (end >= events.size()) return;
  events.resize(end);
  const auto is_dropped = [&](EventNumber event) { return event >= end; };
  for (Location& location : locations) {
    std::erase_if(location.modification_order, is_dropped);
    if (location.allocation && is_dropped(*location.allocation)) location.allocation.reset();
  }
  switches = preemptions = stale_reads = 0;
  for (const Event& event : events) {
    switches += event.is_switch ? 1 : 0;
    preemptions += event.is_preemption ? 1 : 0;
    stale_reads += event.missed.empty() && event.placed_before.empty() ? 0 : 1;
  }
}

std::optional<EventNumber> ExecutionLog::last_of(ThreadNumber thread, EventNumber end) const {
  for (EventNumber i = std::min(end, events.size()); i > 0; --i)
    if (events[i - 1].thread == thread) return i - 1;
  return std::nullopt;
}

}  // namespace heddle::story
