#include "transcript/transcript.hpp"

#include <algorithm>

namespace heddle::transcript {

namespace {

/// Whether the memory of one execution fits both: up to the end of the shorter list, they found the same.
bool find_the_same(const Segment& a, const Segment& b) {
  const std::size_t common = std::min(a.accesses.size(), b.accesses.size());
  for (std::size_t i = 0; i < common; ++i) {
    const PlainAccess &x = a.accesses[i], &y = b.accesses[i];
    if (x == y) continue;
    // The first difference. What the thread did before it was the same, so it must be in what the access found.
    const bool is_same_access = x.word == y.word && x.kind == y.kind && x.bytes == y.bytes && x.site == y.site;
    return !is_same_access || x.found_bytes != y.found_bytes || x.found == y.found;
  }
  return true;
}

}  // namespace

Branch& Transcript::branch_of(Future& future, graph::Value value, bool succeeded) {
  Branch** at = &future.results;
  for (; *at != nullptr; at = &(*at)->next)
    if ((*at)->value == value && (*at)->succeeded == succeeded) return **at;
  *at = arena_.create<Branch>();
  (*at)->value = value;
  (*at)->succeeded = succeeded;
  return **at;
}

Future& Transcript::future_of(std::uint64_t state) {
  if (state == 0) return *arena_.create<Future>();
  if (states_.empty()) states_ = arena_.create_array<Bucket>(buckets);
  KnownState** at = &states_[(state >> 1) % buckets].first;
  for (; *at != nullptr; at = &(*at)->next)
    if ((*at)->key == state) return (*at)->future;
  *at = arena_.create<KnownState>();
  (*at)->key = state;
  return (*at)->future;
}

Segment* Transcript::find_or_add(Branch& branch, const Segment& segment, std::uint64_t state) {
  Segment** at = &branch.variants;
  for (; *at != nullptr; at = &(*at)->next_variant) {
    Segment& known = **at;
    if (!find_the_same(known, segment)) continue;
    const bool is_same = std::ranges::equal(known.accesses, segment.accesses) && known.is_opaque == segment.is_opaque &&
                         (known.is_opaque || (known.action == segment.action && known.waiting == segment.waiting));
    return is_same ? &known : nullptr;
  }
  auto accesses = arena_.create_array<PlainAccess>(segment.accesses.size());
  std::ranges::copy(segment.accesses, accesses.begin());
  *at = arena_.create<Segment>(segment);
  (*at)->accesses = accesses;
  (*at)->future = &future_of(state);
  (*at)->next_variant = nullptr;
  return *at;
}

std::uint32_t Transcript::place(const Place& place) {
  for (std::uint32_t i = 0; i < places_.size(); ++i)
    if (places_[i].address == place.address && places_[i].size == place.size) return i;
  places_.push_back(arena_, place);
  return static_cast<std::uint32_t>(places_.size() - 1);
}

}  // namespace heddle::transcript
