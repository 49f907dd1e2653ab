// Bump allocation from memory that the caller has reserved. The data of one execution lies in one arena, so that the
// next execution starts by resetting one pointer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include "base/check.hpp"

namespace heddle::base {

class Arena {
 public:
  Arena() = default;
  explicit Arena(std::span<std::byte> memory)
      : begin_(memory.data()), next_(memory.data()), middle_(memory.data() + memory.size() / 2),
        end_(memory.data() + memory.size()) {}

  void* allocate(std::size_t size, std::size_t alignment) {
    auto at = (reinterpret_cast<std::uintptr_t>(next_) + alignment - 1) & ~(alignment - 1);
    HEDDLE_CHECK(at + size <= reinterpret_cast<std::uintptr_t>(end_), "an arena is full");
    next_ = reinterpret_cast<std::byte*>(at + size);
    return reinterpret_cast<void*>(at);
  }

  /// An arena does not destroy its objects, so their destructors must be trivial.
  template <typename T, typename... Arguments>
  T* create(Arguments&&... arguments) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (allocate(sizeof(T), alignof(T))) T{std::forward<Arguments>(arguments)...};
  }

  template <typename T>
  std::span<T> create_array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    auto* first = static_cast<T*>(allocate(count * sizeof(T), alignof(T)));
    for (std::size_t i = 0; i < count; ++i) new (first + i) T{};
    return {first, count};
  }

  void reset() { next_ = begin_; }
  /// Frees what was allocated since used() returned `used`. An arena can serve as a stack this way.
  void rewind(std::size_t used) { next_ = begin_ + used; }
  /// The memory that was allocated since the last reset.
  std::span<std::byte> memory_in_use() const { return {begin_, used()}; }
  std::size_t used() const { return static_cast<std::size_t>(next_ - begin_); }
  bool is_half_full() const { return next_ > middle_; }
  std::size_t capacity() const { return static_cast<std::size_t>(end_ - begin_); }

 private:
  std::byte* begin_ = nullptr;
  std::byte* next_ = nullptr;
  std::byte* middle_ = nullptr;
  std::byte* end_ = nullptr;
};

/// A growing array of trivial elements in an arena. Growing abandons the old storage until the arena is reset.
/// Functions that may allocate take the arena as a parameter, which keeps the object small.
template <typename T>
class ArenaVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  T& push_back(Arena& arena, const T& value) {
    if (size_ == capacity_) grow(arena, size_ + 1);
    data_[size_] = value;
    return data_[size_++];
  }
  /// Appends without a check for room: the array must not be full.
  void push_back_within_capacity(const T& value) { data_[size_++] = value; }
  /// Appends an element whose value is indeterminate, for the caller to write.
  T& add_uninitialised(Arena& arena) {
    T& added = next_uninitialised(arena);
    ++size_;
    return added;
  }
  /// The place of the next element, which the array does not contain yet. Its value is indeterminate.
  T& next_uninitialised(Arena& arena) {
    if (size_ == capacity_) grow(arena, size_ + std::size_t{1});
    return data_[size_];
  }
  // NOLINTBEGIN(bugprone-sizeof-expression): T may be a pointer
  void insert(Arena& arena, std::size_t position, const T& value) {
    push_back(arena, value);
    if (position == size_ - std::size_t{1}) return;
    std::memmove(static_cast<void*>(data_ + position + 1), data_ + position, (size_ - 1 - position) * sizeof(T));
    data_[position] = value;
  }
  void erase(std::size_t position) {
    --size_;
    constexpr std::size_t few = 4;  // to move so few elements takes less time than a call
    if (size_ - position <= few) {
      for (std::size_t i = position; i < size_; ++i) data_[i] = data_[i + 1];
      return;
    }
    std::memmove(static_cast<void*>(data_ + position), data_ + position + 1, (size_ - position) * sizeof(T));
  }
  // NOLINTEND(bugprone-sizeof-expression)
  /// Makes room for `count` elements, so that growing up to that size moves nothing.
  void reserve(Arena& arena, std::size_t count) {
    if (count > capacity_) grow(arena, count);
  }
  void pop_back() { --size_; }
  /// Keeps the first `count` elements.
  void truncate(std::size_t count) { size_ = static_cast<std::uint32_t>(count); }
  void clear() { size_ = 0; }
  void resize(Arena& arena, std::size_t size) {
    if (size > capacity_) grow(arena, size);
    for (std::size_t i = size_; i < size; ++i) data_[i] = T{};
    size_ = static_cast<std::uint32_t>(size);
  }
  /// Abandons elements and storage. Required after the arena has been reset.
  void forget() { *this = {}; }

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  bool is_full() const { return size_ == capacity_; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  std::span<const T> span() const { return {data_, size_}; }

 private:
  // Not inline: every caller would have to save the registers that this function uses.
  [[gnu::noinline]] void grow(Arena& arena, std::size_t wanted) {
    if (size_ != 0) return move(arena, wanted);
    constexpr std::size_t usual = 8;
    const std::size_t capacity = wanted < usual ? usual : wanted;
    // NOLINTNEXTLINE(bugprone-sizeof-expression): T may be a pointer
    data_ = static_cast<T*>(arena.allocate(capacity * sizeof(T), alignof(T)));
    capacity_ = static_cast<std::uint32_t>(capacity);
  }
  [[gnu::noinline]] void move(Arena& arena, std::size_t wanted) {
    std::size_t capacity = capacity_ * std::size_t{2};
    if (capacity < wanted) capacity = wanted;
    // NOLINTBEGIN(bugprone-sizeof-expression): T may be a pointer
    auto* data = static_cast<T*>(arena.allocate(capacity * sizeof(T), alignof(T)));
    std::memcpy(static_cast<void*>(data), data_, size_ * sizeof(T));
    // NOLINTEND(bugprone-sizeof-expression)
    data_ = data;
    capacity_ = static_cast<std::uint32_t>(capacity);
  }

  T* data_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
};

}  // namespace heddle::base
