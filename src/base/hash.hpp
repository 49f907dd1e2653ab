// 64-bit hashes of plain values, with the header-only form of xxHash: the runtime must not need a library for it.
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

/// The exclusive or of both halves of the product: every bit of `a` and `b` can affect every bit of the result.
inline std::uint64_t multiply_and_fold(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// Hashes a sequence of words. As in wyhash, pairs of words are multiplied, and the multiplications can run in
/// parallel. Every execution hashes names and graphs; hash_bytes() takes several times as long for so few bytes.
template <typename... Words>
std::uint64_t hash_words(Words... words) {
  constexpr std::size_t count = (sizeof...(words) + 1) / 2 * 2;
  const std::uint64_t packed[count] = {static_cast<std::uint64_t>(words)...};
  std::uint64_t key =
      0x9e3779b97f4a7c15ULL + sizeof...(words);  // differs from place to place; the constants are odd, from pi
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < count; i += 2) {
    hash += multiply_and_fold(packed[i] ^ (key * 0x243f6a8885a308d3ULL), packed[i + 1] ^ (key * 0x13198a2e03707345ULL));
    key += 0x9e3779b97f4a7c15ULL;
  }
  return multiply_and_fold(hash ^ 0xa4093822299f31d1ULL, 0x082efa98ec4e6c89ULL);
}

}  // namespace heddle::base
