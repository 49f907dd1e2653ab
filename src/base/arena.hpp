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

  template <typename T>
  std::span<T> copy_array(std::span<const T> elements) {
    static_assert(std::is_trivially_destructible_v<T>);
    auto* first = static_cast<T*>(allocate(elements.size_bytes(), alignof(T)));
    for (std::size_t i = 0; i < elements.size(); ++i) new (first + i) T{elements[i]};
    return {first, elements.size()};
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

/// The storage of an ArenaVector. Growing is rare, and the code for it is shared by all element types: an execution
/// fills a dozen kinds of arrays, and uses most of the first-level instruction cache.
class ArenaStorage {
 protected:
  // Not inline: every caller would have to save the registers that these functions use.
  [[gnu::noinline]] void grow(Arena& arena, std::size_t wanted, std::size_t element_size) {
    if (size_ != 0) return move(arena, wanted, element_size);
    constexpr std::size_t usual = 8;
    const std::size_t capacity = wanted < usual ? usual : wanted;
    elements_ = arena.allocate(capacity * element_size, alignment);
    capacity_ = static_cast<std::uint32_t>(capacity);
  }
  [[gnu::noinline]] void move(Arena& arena, std::size_t wanted, std::size_t element_size) {
    std::size_t capacity = capacity_ * std::size_t{2};
    if (capacity < wanted) capacity = wanted;
    void* moved = arena.allocate(capacity * element_size, alignment);
    std::memcpy(moved, elements_, size_ * element_size);
    elements_ = moved;
    capacity_ = static_cast<std::uint32_t>(capacity);
  }

  static constexpr std::size_t alignment = alignof(std::max_align_t);  ///< of every element type
  void* elements_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
};

/// A growing array of trivial elements in an arena. Growing abandons the old storage until the arena is reset.
/// Functions that may allocate take the arena as a parameter, which keeps the object small.
template <typename T>
class ArenaVector : private ArenaStorage {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  T& push_back(Arena& arena, const T& value) {
    if (size_ == capacity_) grow(arena, size_ + std::size_t{1});
    data()[size_] = value;
    return data()[size_++];
  }
  /// Appends without a check for room: the array must not be full.
  void push_back_within_capacity(const T& value) { data()[size_++] = value; }
  /// Appends an element whose value is indeterminate, for the caller to write.
  T& add_uninitialised(Arena& arena) {
    T& added = next_uninitialised(arena);
    ++size_;
    return added;
  }
  /// Appends the element that the caller has written at next_uninitialised().
  T& add_next() { return data()[size_++]; }
  /// The place of the next element, which the array does not contain yet. Its value is indeterminate.
  T& next_uninitialised(Arena& arena) {
    if (size_ == capacity_) grow(arena, size_ + std::size_t{1});
    return data()[size_];
  }
  // NOLINTBEGIN(bugprone-sizeof-expression): T may be a pointer
  void insert(Arena& arena, std::size_t position, const T& value) {
    push_back(arena, value);
    if (position == size_ - std::size_t{1}) return;
    std::memmove(static_cast<void*>(data() + position + 1), data() + position, (size_ - 1 - position) * sizeof(T));
    data()[position] = value;
  }
  void erase(std::size_t position) {
    --size_;
    constexpr std::size_t few = 4;  // to move so few elements takes less time than a call
    if (size_ - position <= few) {
      for (std::size_t i = position; i < size_; ++i) data()[i] = data()[i + 1];
      return;
    }
    std::memmove(static_cast<void*>(data() + position), data() + position + 1, (size_ - position) * sizeof(T));
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
    for (std::size_t i = size_; i < size; ++i) data()[i] = T{};
    size_ = static_cast<std::uint32_t>(size);
  }
  /// Abandons elements and storage. Required after the arena has been reset.
  void forget() { *this = {}; }

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  bool is_full() const { return size_ == capacity_; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  std::span<const T> span() const { return {data(), size_}; }

 private:
  void grow(Arena& arena, std::size_t wanted) {
    static_assert(alignof(T) <= alignment);
    ArenaStorage::grow(arena, wanted, sizeof(T));  // NOLINT(bugprone-sizeof-expression): T may be a pointer
  }
  T* data() const { return static_cast<T*>(elements_); }
};

}  // namespace heddle::base
