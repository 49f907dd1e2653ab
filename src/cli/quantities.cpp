#include "cli/quantities.hpp"

#include <charconv>
#include <cmath>
#include <limits>

namespace heddle::cli {

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (text.empty() || error != std::errc{} || !(value >= 0) || std::isinf(value)) return std::nullopt;
  const std::string_view unit(stopped, static_cast<std::size_t>(end - stopped));
  double factor;
  if (unit == "ms") {
    factor = 1;
  } else if (unit == "s" || unit.empty()) {
    factor = 1000;
  } else if (unit == "m" || unit == "min") {
    factor = 60'000;
  } else if (unit == "h") {
    factor = 3'600'000;
  } else {
    return std::nullopt;
  }
  // A hundred years; beyond that the sums of time points overflow.
  const double milliseconds = std::ceil(value * factor);
  if (milliseconds > 100.0 * 365 * 24 * 3'600'000) return std::nullopt;
  return std::chrono::milliseconds(static_cast<std::int64_t>(milliseconds));
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  unsigned shift = 0;
  if (text.ends_with("iB"))
    text.remove_suffix(2);
  else if (text.ends_with('B'))
    text.remove_suffix(1);
  if (text.empty()) return std::nullopt;
  switch (text.back()) {
    case 'k':
    case 'K': shift = 10; break;
    case 'm':
    case 'M': shift = 20; break;
    case 'g':
    case 'G': shift = 30; break;
    case 't':
    case 'T': shift = 40; break;
    default: break;
  }
  if (shift != 0) text.remove_suffix(1);
  const auto value = parse_number(text);
  if (!value || *value > (std::numeric_limits<std::uint64_t>::max() >> shift)) return std::nullopt;
  return *value << shift;
}

}  // namespace heddle::cli
