#include "story/synchronisation.hpp"

#include <algorithm>

namespace heddle::story {

namespace {

/// The newest release fence of the thread before the write.
std::optional<EventNumber> release_fence_before(const ExecutionLog& log, EventNumber write) {
  const auto thread = log.events[write].thread;
  for (EventNumber i = write; i > 0; --i) {
    const Event& event = log.events[i - 1];
    if (event.thread == thread && event.kind == EventKind::fence && is_release(event.order)) return i - 1;
  }
  return std::nullopt;
}

/// The first acquire fence of the thread after the read.
std::optional<EventNumber> acquire_fence_after(const ExecutionLog& log, EventNumber read) {
  const auto thread = log.events[read].thread;
  for (EventNumber i = read + 1; i < log.events.size(); ++i) {
    const Event& event = log.events[i];
    if (event.thread == thread && event.kind == EventKind::fence && is_acquire(event.order)) return i;
  }
  return std::nullopt;
}

bool is_atomic_write(const Event& event) { return event.kind == EventKind::store || event.kind == EventKind::rmw; }

}  // namespace

std::vector<Passage> passages_into(const ExecutionLog& log, EventNumber read) {
  std::vector<Passage> passages;
  const Event& reader = log.events[read];
  if (!reader.reads_memory() || !reader.reads_from) return passages;
  const auto acquire = is_acquire(reader.order) ? std::optional(read) : acquire_fence_after(log, read);
  std::vector<EventNumber> between;
  // The passages of a chain of read-modify-writes take the cube of its length. What is further away than this does not
  // help a reader.
  constexpr std::size_t longest_chain = 64;
  for (auto at = reader.reads_from; at && between.size() < longest_chain; at = log.events[*at].reads_from) {
    const Event& write = log.events[*at];
    if (!is_atomic_write(write)) break;
    if (write.thread != reader.thread)
      passages.push_back({*at, read, is_release(write.order) ? at : release_fence_before(log, *at), acquire, between});
    if (write.kind != EventKind::rmw) break;
    between.push_back(*at);
  }
  return passages;
}

void add_synchronisation(ExecutionLog& log) {
  for (EventNumber i = 0; i < log.events.size(); ++i) {
    for (const Passage& passage : passages_into(log, i)) {
      if (!passage.synchronises()) continue;
      auto& sources = log.events[*passage.acquire].synchronises_with;
      if (std::find(sources.begin(), sources.end(), *passage.release) == sources.end())
        sources.push_back(*passage.release);
    }
  }
}

}  // namespace heddle::story
