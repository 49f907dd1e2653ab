#include "story/racing_events.hpp"

#include <algorithm>

namespace heddle::story {

namespace {

/// Whether the event is the access or the operation that showed the finding.
bool is_at_finding(const Event& event, const findings::Finding& finding) {
  const auto is_at = [&](const findings::Stack& stack) {
    return !stack.pcs.empty() && !event.stack.pcs.empty() && stack.pcs[0] == event.stack.pcs[0];
  };
  return is_at(finding.stack) || (!finding.accesses.empty() && is_at(finding.accesses[0].stack));
}

/// The bytes of the event from `address` on, which must be among them.
std::optional<findings::TouchedBytes> bytes_around(const ExecutionLog& log, const Event& event, std::uint64_t address) {
  if (!event.location) return std::nullopt;
  const Location& location = log.locations[*event.location];
  const std::uint64_t size = event.size != 0 ? event.size : std::max(location.size, std::size_t{1});
  if (address - location.address.value >= size) return std::nullopt;
  return findings::TouchedBytes{static_cast<std::int64_t>(location.address.value - address), size};
}

std::optional<EventNumber> newest_event_of(const findings::Access& access, const ExecutionLog& log, EventNumber end) {
  for (EventNumber i = end; i-- > 0;) {
    const Event& event = log.events[i];
    if (!event.thread || log.threads[*event.thread].label != access.thread) continue;
    if (event.stack.pcs.empty() || access.stack.pcs.empty() || event.stack.pcs[0] != access.stack.pcs[0]) continue;
    if (bytes_around(log, event, access.address.value)) return i;
  }
  return std::nullopt;
}

}  // namespace

EventNumber end_of_story(const findings::Finding& finding, const ExecutionLog& log) {
  if (!finding.graph_events) return log.events.size();
  EventNumber end = 0;
  for (EventNumber i = 0; i < log.events.size(); ++i) {
    const Event& event = log.events[i];
    const bool is_of_thread = event.thread && log.threads[*event.thread].label == finding.thread;
    const bool is_next = event.events_before == *finding.graph_events &&
                         (is_at_finding(event, finding) || (event.is_plain() && is_of_thread));
    if (event.events_before < *finding.graph_events || is_next) end = i + 1;
  }
  return end;
}

RacingEvents find_racing_events(const findings::Finding& finding, const ExecutionLog& log, EventNumber end) {
  RacingEvents found;
  if (finding.accesses.empty()) return found;
  found.second = newest_event_of(finding.accesses[0], log, end);
  if (finding.accesses.size() != 2) return found;
  found.first = newest_event_of(finding.accesses[1], log, found.second.value_or(end));
  // The log may have a plain write that became an event of the graph behind the event that made it one.
  if (!found.first) found.first = newest_event_of(finding.accesses[1], log, end);
  return found;
}

std::optional<findings::TouchedBytes> bytes_of_finding(const findings::Finding& finding, const ExecutionLog& log,
                                                       const Event& event) {
  if (finding.accesses.size() != 2) return std::nullopt;
  return bytes_around(log, event, finding.accesses[0].address.value);
}

}  // namespace heddle::story
