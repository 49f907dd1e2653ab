// Plain values as bytes, for states that the same build of heddle reads again.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "campaign/finding_codec.hpp"

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
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
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
