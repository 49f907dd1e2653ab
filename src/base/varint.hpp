// Numbers in LEB128. A trace consists mostly of small indices, which take one byte each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace heddle::base {

inline constexpr std::size_t max_varint_size = 10;

/// Writes at most max_varint_size bytes and returns how many.
inline std::size_t write_varint(std::uint64_t value, std::uint8_t* out) {
  std::size_t size = 0;
  while (value >= 0x80) {
    out[size++] = static_cast<std::uint8_t>(value) | 0x80;
    value >>= 7;
  }
  out[size++] = static_cast<std::uint8_t>(value);
  return size;
}

/// Reads a number from the front of `bytes` and removes it there. Returns nothing if the bytes end within the number or
/// the number does not fit into 64 bits.
inline std::optional<std::uint64_t> read_varint(std::span<const std::uint8_t>& bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes.size() && i < max_varint_size; ++i) {
    const std::uint64_t part = bytes[i] & 0x7f;
    if (i == max_varint_size - 1 && part > 1) return std::nullopt;
    value |= part << (7 * i);
    if ((bytes[i] & 0x80) == 0) {
      bytes = bytes.subspan(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace heddle::base
