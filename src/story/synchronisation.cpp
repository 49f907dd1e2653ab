#include "story/synchronisation.hpp"

#include <algorithm>

namespace heddle::story {

namespace {

bool is_atomic_write(const Event& event) { return event.kind == EventKind::store || event.kind == EventKind::rmw; }

}  // namespace

Passages::Passages(const ExecutionLog& log) : log_(log) {
  for (EventNumber i = 0; i < log.events.size(); ++i)
    if (log.events[i].kind == EventKind::fence) fences_.push_back(i);
}

std::optional<EventNumber> Passages::release_fence_before(EventNumber write) const {
  const auto thread = log_.events[write].thread;
  for (auto at = std::lower_bound(fences_.begin(), fences_.end(), write); at != fences_.begin();) {
    const Event& fence = log_.events[*--at];
    if (fence.thread == thread && is_release(fence.order)) return *at;
  }
  return std::nullopt;
}

std::optional<EventNumber> Passages::acquire_fence_after(EventNumber read) const {
  const auto thread = log_.events[read].thread;
  for (auto at = std::upper_bound(fences_.begin(), fences_.end(), read); at != fences_.end(); ++at) {
    const Event& fence = log_.events[*at];
    if (fence.thread == thread && is_acquire(fence.order)) return *at;
  }
  return std::nullopt;
}

template <typename Use>
void Passages::for_each_source(EventNumber read, Use use) const {
  const Event& reader = log_.events[read];
  if (!reader.reads_memory() || !reader.reads_from) return;
  // The passages of a chain of read-modify-writes take the square of its length. What is further away than this does
  // not help a reader.
  constexpr std::size_t longest_chain = 64;
  std::size_t length = 0;
  for (auto at = reader.reads_from; at && length < longest_chain; at = log_.events[*at].reads_from, ++length) {
    const Event& write = log_.events[*at];
    if (!is_atomic_write(write)) break;
    if (write.thread != reader.thread) use(*at);
    if (write.kind != EventKind::rmw) break;
  }
}

std::vector<Passage> Passages::into(EventNumber read) const {
  std::vector<Passage> passages;
  std::optional<EventNumber> acquire;
  for_each_source(read, [&](EventNumber write) {
    if (passages.empty()) acquire = is_acquire(log_.events[read].order) ? read : acquire_fence_after(read);
    const bool releases = is_release(log_.events[write].order);
    passages.push_back({write, read, releases ? std::optional(write) : release_fence_before(write), acquire});
  });
  return passages;
}

std::size_t Passages::count_into(EventNumber read) const {
  std::size_t count = 0;
  for_each_source(read, [&](EventNumber) { ++count; });
  return count;
}

void add_synchronisation(ExecutionLog& log) {
  const Passages passages(log);
  for (EventNumber i = 0; i < log.events.size(); ++i) {
    for (const Passage& passage : passages.into(i)) {
      if (!passage.synchronises()) continue;
      auto& sources = log.events[*passage.acquire].synchronises_with;
      if (std::find(sources.begin(), sources.end(), *passage.release) == sources.end())
        sources.push_back(*passage.release);
    }
  }
}

}  // namespace heddle::story
