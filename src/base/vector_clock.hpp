// Immutable vector clocks, shared by everything that learnt the same. clock[t] = n says: every event
// of thread t with index <= n is known. Joining returns one of its arguments whenever that is the
// result, so clocks are copied only where two threads really exchange something new.
#pragma once

#include <cstdint>

#include "base/arena.hpp"

namespace heddle::base {

class VectorClock {
 public:
  /// `thread` may lie beyond the clock's size: nothing of it is known then.
  std::uint32_t operator[](std::uint32_t thread) const { return thread < size_ ? entries_[thread] : 0; }
  std::uint32_t size() const { return size_; }

  /// The clock that knows nothing.
  static const VectorClock* empty();

  bool covers(const VectorClock& other) const {
    for (std::uint32_t t = 0; t < other.size_; ++t)
      if ((*this)[t] < other.entries_[t]) return false;
    return true;
  }

  static const VectorClock* join(Arena& arena, const VectorClock* a, const VectorClock* b) {
    if (a == b || b->size_ == 0) return a;
    if (a->size_ == 0 || b->covers(*a)) return b;
    if (a->covers(*b)) return a;
    const VectorClock& longer = a->size_ > b->size_ ? *a : *b;
    const VectorClock& shorter = a->size_ > b->size_ ? *b : *a;
    std::uint32_t* entries;
    const VectorClock* clock = allocate(arena, longer.size_, entries);
    std::uint32_t t = 0;
    for (; t < shorter.size_; ++t)
      entries[t] = longer.entries_[t] > shorter.entries_[t] ? longer.entries_[t] : shorter.entries_[t];
    for (; t < longer.size_; ++t) entries[t] = longer.entries_[t];
    return clock;
  }

  /// This clock with `thread` raised to `index`.
  static const VectorClock* with(Arena& arena, const VectorClock* clock, std::uint32_t thread, std::uint32_t index) {
    if ((*clock)[thread] >= index) return clock;
    const std::uint32_t size = clock->size_ > thread ? clock->size_ : thread + 1;
    std::uint32_t* entries;
    const VectorClock* raised = allocate(arena, size, entries);
    std::uint32_t t = 0;
    for (; t < clock->size_; ++t) entries[t] = clock->entries_[t];
    for (; t < size; ++t) entries[t] = 0;
    entries[thread] = index;
    return raised;
  }

  /// The same clock in another arena, for when this one goes. It leaves its new address behind, so that what was shared
  /// stays shared.
  static const VectorClock* move(Arena& arena, const VectorClock* clock) {
    if (clock == empty()) return clock;
    if (clock->size_ == moved_away) return reinterpret_cast<const VectorClock*>(clock->entries_);
    auto entries = arena.create_array<std::uint32_t>(clock->size_);
    for (std::uint32_t t = 0; t < clock->size_; ++t) entries[t] = clock->entries_[t];
    const VectorClock* copy = arena.create<VectorClock>(clock->size_, entries.data());
    auto* old = const_cast<VectorClock*>(clock);
    old->size_ = moved_away;
    old->entries_ = reinterpret_cast<const std::uint32_t*>(copy);
    return copy;
  }

  constexpr VectorClock(std::uint32_t size, const std::uint32_t* entries) : size_(size), entries_(entries) {}

 private:
  /// A clock and its entries, which are still to be written.
  static const VectorClock* allocate(Arena& arena, std::uint32_t size, std::uint32_t*& entries) {
    auto* memory = static_cast<std::byte*>(
        arena.allocate(sizeof(VectorClock) + size * sizeof(std::uint32_t), alignof(VectorClock)));
    entries = reinterpret_cast<std::uint32_t*>(memory + sizeof(VectorClock));
    return new (memory) VectorClock(size, entries);
  }

  static constexpr std::uint32_t moved_away = 0xffffffffU;
  std::uint32_t size_;
  const std::uint32_t* entries_;
};

inline constexpr VectorClock empty_vector_clock{0, nullptr};
inline const VectorClock* VectorClock::empty() { return &empty_vector_clock; }

}  // namespace heddle::base
