// 64-bit hashing of plain values, on xxHash's header-only form (no library to carry into the target).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace heddle::base {

inline std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed = 0) {
  return XXH3_64bits_withSeed(data, size, seed);
}
inline std::uint64_t hash_text(std::string_view text, std::uint64_t seed = 0) {
  return hash_bytes(text.data(), text.size(), seed);
}

/// Mixes words into one; the order of the words matters.
template <typename... Words>
std::uint64_t hash_words(Words... words) {
  const std::uint64_t packed[] = {static_cast<std::uint64_t>(words)...};
  return hash_bytes(packed, sizeof packed);
}

}  // namespace heddle::base
