#include "story/draft.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "story/words.hpp"

namespace heddle::story {

namespace {

// A story is for people: with more events than this, the ones in the middle are left out.
constexpr std::size_t most_steps = 12;

}  // namespace

Draft::Draft(const findings::Finding& of, const ExecutionLog& execution) : finding(of), log(execution) {
  std::set<ThreadNumber> threads;
  std::uint64_t events = 0;
  for (const Event& event : log.events) {
    if (!event.thread) continue;
    threads.insert(*event.thread);
    ++events;
  }
  out.counts = {log.switches, log.stale_reads, events, threads.size()};
  for (ThreadNumber i = 0; i < log.threads.size(); ++i)
    if (log.threads[i].label == finding.thread) failing = i;
}

void Draft::add_last_event() {
  if (!failing) return;
  for (EventNumber i = log.events.size(); i-- > 0;) {
    const Event& event = log.events[i];
    if (event.thread != failing || event.kind == EventKind::allocation || event.kind == EventKind::free ||
        event.kind == EventKind::join)
      continue;
    matter(i);
    return;
  }
}

void Draft::add_stale_reads() {
  for (EventNumber i = 0; i < log.events.size(); ++i)
    if (log.events[i].is_stale()) {
      matter(i);
      matter(log.events[i].missed.back());
    }
}

void Draft::add_cause(const std::string& sentence) {
  if (!causes_.insert(sentence).second) return;
  if (!out.cause.empty()) out.cause += "; ";
  out.cause += sentence;
}

std::string Draft::thread_of(EventNumber event) const {
  return log.events[event].thread ? log.threads[*log.events[event].thread].label : "T0";
}

void Draft::add_steps(const RacingEvents& racing) {
  std::vector<EventNumber> events(matters_.begin(), matters_.end());
  if (events.size() > most_steps) {
    const auto half = static_cast<std::ptrdiff_t>(most_steps / 2);
    const auto end = std::remove_if(events.begin() + half, events.end() - half,
                                    [&](EventNumber event) { return event != racing.first && event != racing.second; });
    events.erase(end, events.end() - half);
  }
  for (const EventNumber event : events) {
    out.steps.push_back(make_step(log, event));
    if (const auto text = texts_.find(event); text != texts_.end()) out.steps.back().text = text->second;
    out.steps.back().bytes = bytes_of_finding(finding, log, log.events[event]);
  }
  for (std::size_t i = 0; i < events.size(); ++i) {
    findings::StoryStep& step = out.steps[i];
    const Event& event = log.events[events[i]];
    if (event.is_stale()) step.text += fmt::format(": stale, it misses {}", reference(events, event.missed.back()));
    if (!event.placed_before.empty())
      step.text += fmt::format(": placed before {}", reference(events, event.placed_before.back()));
  }
}

/// "step 2", or the event itself if it is not a step.
std::string Draft::reference(const std::vector<EventNumber>& events, EventNumber event) const {
  const auto found = std::find(events.begin(), events.end(), event);
  return found == events.end() ? noun_text(log, event) : fmt::format("step {}", found - events.begin() + 1);
}

}  // namespace heddle::story
