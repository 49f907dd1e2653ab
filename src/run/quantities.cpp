#include "run/quantities.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace heddle::run {

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

std::optional<bool> parse_flag(std::string_view text) {
  if (text == "1" || text == "true" || text == "yes" || text == "on") return true;
  if (text == "0" || text == "false" || text == "no" || text == "off") return false;
  return std::nullopt;
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
  // A hundred years. Sums of larger durations and time points would overflow.
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

std::string format_duration(std::chrono::milliseconds duration) {
  const auto count = duration.count();
  for (const auto& [factor, unit] : {std::pair{3'600'000, "h"}, {60'000, "m"}, {1000, "s"}})
    if (count % factor == 0 && count != 0) return std::to_string(count / factor) + unit;
  return std::to_string(count) + (count == 0 ? "" : "ms");
}

std::string format_size(std::uint64_t bytes) {
  for (const auto& [shift, unit] : {std::pair{40, "T"}, {30, "G"}, {20, "M"}, {10, "K"}})
    if (bytes != 0 && bytes % (std::uint64_t{1} << shift) == 0) return std::to_string(bytes >> shift) + unit;
  return std::to_string(bytes);
}

}  // namespace heddle::run
