#include "transcript/transcript.hpp"

#include <algorithm>

#include "base/hash.hpp"

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
    return !is_same_access || (x.found_bytes == y.found_bytes && x.found == y.found);
  }
  return true;
}

}  // namespace

/// Where in the table the result is, or would be.
Results::Slot& Results::slot_in(std::span<Slot> table, graph::Value value, bool succeeded) {
  const std::size_t mask = table.size() - 1;  // the size is a power of two
  std::size_t at = base::hash_words(static_cast<std::uint64_t>(value), succeeded) & mask;
  const auto is_other = [&](const Branch& branch) { return branch.value != value || branch.succeeded != succeeded; };
  while (table[at].branch != nullptr && is_other(*table[at].branch)) at = (at + 1) & mask;
  return table[at];
}

Branch& Results::find_or_add(base::Arena& arena, graph::Value value, bool succeeded) {
  if (!table_.empty()) {
    if (Branch* known = slot_in(table_, value, succeeded).branch) return *known;
  } else {
    for (Branch* known = first_; known != nullptr; known = known->next)
      if (known->value == value && known->succeeded == succeeded) return *known;
  }
  auto* branch = arena.create<Branch>();
  branch->value = value;
  branch->succeeded = succeeded;
  branch->next = first_;
  first_ = branch;
  if (++count_ > many) add_to_table(arena, *branch);
  return *branch;
}

void Results::add_to_table(base::Arena& arena, Branch& branch) {
  if (2 * count_ <= table_.size()) {
    slot_in(table_, branch.value, branch.succeeded).branch = &branch;
    return;
  }
  table_ = arena.create_array<Slot>(table_.empty() ? 4 * many : 2 * table_.size());
  for (Branch* known = first_; known != nullptr; known = known->next)
    slot_in(table_, known->value, known->succeeded).branch = known;
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

std::uint64_t Transcript::key_of(const Segment& segment, std::uint64_t contents) {
  return base::hash_words(reinterpret_cast<std::uintptr_t>(&segment), contents) | 1;
}

/// Where in the table the key is, or would be.
std::uint64_t& Transcript::place_in(std::span<std::uint64_t> table, std::uint64_t key) {
  const std::size_t mask = table.size() - 1;  // the size is a power of two
  std::size_t at = (key >> 1) & mask;
  while (table[at] != 0 && table[at] != key) at = (at + 1) & mask;
  return table[at];
}

void Transcript::see(const Segment& segment, std::uint64_t contents) {
  if (2 * seen_count_ >= seen_.size()) {
    const auto old = seen_;
    seen_ = arena_.create_array<std::uint64_t>(old.empty() ? 1024 : 2 * old.size());
    for (const std::uint64_t key : old)
      if (key != 0) place_in(seen_, key) = key;
  }
  std::uint64_t& place = place_in(seen_, key_of(segment, contents));
  if (place == 0) ++seen_count_;
  place = key_of(segment, contents);
}

bool Transcript::has_seen(const Segment& segment, std::uint64_t contents) const {
  return !seen_.empty() && place_in(seen_, key_of(segment, contents)) != 0;
}

std::uint32_t Transcript::place(const Place& place) {
  for (std::uint32_t i = 0; i < places_.size(); ++i)
    if (places_[i].address == place.address && places_[i].size == place.size) return i;
  places_.push_back(arena_, place);
  return static_cast<std::uint32_t>(places_.size() - 1);
}

}  // namespace heddle::transcript
