// A sum of numbers of at least 0 without rounding errors, so that it does not depend on the order of its terms or on
// how they are grouped.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace heddle::base {

/// A fixed-point number: the weight of bit 0 of words[0] is that of the smallest double.
class ExactSum {
 public:
  /// From the smallest double, 2^-1074, to 2^77.
  static constexpr std::size_t size = 18;

  /// `term` is finite, at least 0, and far below 2^77.
  void add(double term) {
    const auto bits = std::bit_cast<std::uint64_t>(term);
    const std::uint64_t exponent = (bits >> fraction_bits) & 0x7ff;
    std::uint64_t digits = bits & ((std::uint64_t{1} << fraction_bits) - 1);
    if (exponent != 0) digits |= std::uint64_t{1} << fraction_bits;
    const std::uint64_t place = exponent == 0 ? 0 : exponent - 1;
    const std::size_t word = place / 64 < size ? place / 64 : size - 1;
    const std::uint64_t shift = place % 64;
    add_at(word, digits << shift);
    if (shift != 0) add_at(word + 1, digits >> (64 - shift));
  }
  void add(const ExactSum& other) {
    for (std::size_t i = 0; i < size; ++i) add_at(i, other.words_[i]);
  }
  /// A function of the exact sum alone.
  double rounded() const {
    double result = 0;
    for (std::size_t i = size; i-- > 0;) {
      if (words_[i] == 0 && result == 0) continue;
      result += static_cast<double>(words_[i]) * power_of_two(static_cast<int>(i) * 64 - 1074);
      if (i == 0 || result == 0) break;
      return result + static_cast<double>(words_[i - 1]) * power_of_two(static_cast<int>(i - 1) * 64 - 1074);
    }
    return result;
  }

 private:
  static constexpr std::uint64_t fraction_bits = 52;

  void add_at(std::size_t word, std::uint64_t digits) {
    for (; digits != 0 && word < size; ++word) {
      const std::uint64_t before = words_[word];
      words_[word] = before + digits;
      digits = words_[word] < before ? 1 : 0;
    }
  }
  /// `exponent` is from -1074, where doubles are denormal, to 1023.
  static double power_of_two(int exponent) {
    constexpr int bias = 1023;
    const bool is_normal = exponent > -bias;
    const int shift = is_normal ? static_cast<int>(fraction_bits) : exponent + 1074;
    return std::bit_cast<double>((is_normal ? static_cast<std::uint64_t>(exponent + bias) : 1) << shift);
  }

  std::uint64_t words_[size] = {};
};

}  // namespace heddle::base
