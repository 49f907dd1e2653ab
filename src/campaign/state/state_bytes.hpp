// Plain values as bytes, for states and messages that the same build of heddle reads again.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/varint.hpp"
#include "campaign/state/bad_value.hpp"

namespace heddle::campaign {

class StateWriter {
 public:
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void value(const T& value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void list(std::span<const T> values) {
    value(static_cast<std::uint64_t>(values.size()));
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
  /// A small number takes few bytes.
  void number(std::uint64_t value) {
    std::uint8_t bytes[base::max_varint_size];
    bytes_.append(reinterpret_cast<const char*>(bytes), base::write_varint(value, bytes));
  }
  /// A difference that is small takes few bytes, also if it is negative.
  void difference(std::uint64_t from, std::uint64_t to) {
    const std::uint64_t forward = to - from;
    number(forward >> 63 == 0 ? forward << 1 : (~forward << 1) | 1);
  }
  void bytes(std::string_view bytes) { bytes_.append(bytes); }
  void text(std::string_view text) {
    number(text.size());
    bytes_.append(text);
  }
  /// The words that differ: how many, and for each its distance from the one before and its change.
  void changes(std::span<const std::uint64_t> before, std::span<const std::uint64_t> after) {
    std::size_t changed = 0;
    for (std::size_t i = 0; i < after.size(); ++i) changed += after[i] != before[i] ? 1 : 0;
    number(changed);
    std::size_t last = 0;
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (after[i] == before[i]) continue;
      number(i - last);
      difference(before[i], after[i]);
      last = i;
    }
  }
  /// What is written between the two calls can be skipped by a reader. Blocks do not contain blocks.
  void begin_block() {
    value(std::uint64_t{0});
    block_ = bytes_.size();
  }
  void end_block() {
    const std::uint64_t size = bytes_.size() - block_;
    std::memcpy(bytes_.data() + block_ - sizeof size, &size, sizeof size);
  }
  void reserve(std::size_t size) { bytes_.reserve(size); }
  bool is_empty() const { return bytes_.empty(); }
  std::string take() { return std::exchange(bytes_, {}); }

 private:
  std::string bytes_;
  std::size_t block_ = 0;  ///< where the last block begins
};

/// Throws BadValue if the bytes end too early.
class StateReader {
 public:
  explicit StateReader(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void value(T& value) { std::memcpy(&value, take(sizeof value), sizeof value); }
  template <typename T>
  requires std::is_trivially_copyable_v<T> std::vector<T> list() {
    std::uint64_t size = 0;
    value(size);
    if (size > bytes_.size() / sizeof(T)) throw BadValue{};
    std::vector<T> values(size);
    if (size != 0) std::memcpy(values.data(), take(size * sizeof(T)), size * sizeof(T));
    return values;
  }
  /// The bytes of a list of values of `size` bytes each, at any address.
  std::string_view list_bytes(std::size_t size) {
    std::uint64_t length = 0;
    value(length);
    if (length > bytes_.size() / size) throw BadValue{};
    return {take(length * size), length * size};
  }
  /// What was written between begin_block() and end_block().
  std::string_view block() { return list_bytes(1); }
  std::uint64_t number() {
    std::span<const std::uint8_t> left(reinterpret_cast<const std::uint8_t*>(bytes_.data()), bytes_.size());
    const auto value = base::read_varint(left);
    if (!value) throw BadValue{};
    bytes_.remove_prefix(bytes_.size() - left.size());
    return *value;
  }
  /// What difference(from, to) wrote: returns `to`.
  std::uint64_t difference(std::uint64_t from) {
    const std::uint64_t zigzag = number();
    return from + ((zigzag & 1) == 0 ? zigzag >> 1 : ~(zigzag >> 1));
  }
  /// What changes(before, after) wrote: calls update(index) for each word that differs, which returns a reference to
  /// it.
  template <typename Update>
  void changes(std::size_t size, Update update) {
    std::size_t index = 0;
    for (std::uint64_t left = number(); left != 0; --left) {
      index += number();
      if (index >= size) throw BadValue{};
      std::uint64_t& word = update(index);
      word = difference(word);
    }
  }
  std::string_view text() {
    const std::uint64_t size = number();
    return {take(size), size};
  }
  bool is_at_end() const { return bytes_.empty(); }

 private:
  const char* take(std::size_t size) {
    if (size > bytes_.size()) throw BadValue{};
    const char* at = bytes_.data();
    bytes_.remove_prefix(size);
    return at;
  }

  std::string_view bytes_;
};

}  // namespace heddle::campaign
