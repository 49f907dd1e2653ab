// Immutable vector clocks. clock[t] = n means that every event of thread t with index <= n happens before. Events with
// the same clock share one object: join() returns one of its arguments if that is the result, and allocates otherwise.
#pragma once

#include <cstdint>

#include "base/arena.hpp"

namespace heddle::base {

class VectorClock {
 public:
  /// 0 for a thread beyond the clock's size: none of its events happens before.
  std::uint32_t operator[](std::uint32_t thread) const { return thread < size_ ? entries_[thread] : 0; }
  std::uint32_t size() const { return size_; }

  /// The clock whose entries are all 0.
  static const VectorClock* empty();

  bool covers(const VectorClock& other) const {
    for (std::uint32_t t = 0; t < other.size_; ++t)
      if ((*this)[t] < other.entries_[t]) return false;
    return true;
  }

  static const VectorClock* join(Arena& arena, const VectorClock* a, const VectorClock* b) {
    if (a == b || b->size_ == 0) return a;
    return a->size_ == 0 ? b : join_entries(arena, a, b);
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

  /// Copies the clock into another arena, before the old arena is reset. The old clock stores the address of the copy,
  /// so that events which shared a clock share the copy.
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
  // Not inline: the model joins clocks at half a dozen places for every event, mostly with an empty one.
  [[gnu::noinline]] static const VectorClock* join_entries(Arena& arena, const VectorClock* a, const VectorClock* b) {
    if (b->covers(*a)) return b;
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
  /// Allocates a clock with `size` entries, which the caller writes.
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
