// Numbers, durations and sizes as users write them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle::cli {

/// Digits only, as far as 64 bits go.
std::optional<std::uint64_t> parse_number(std::string_view text);
/// "500ms", "10s", "2m", "1h", "1.5" (seconds).
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);
/// "4G", "512M", "64K", "1000" (bytes).
std::optional<std::uint64_t> parse_size(std::string_view text);

}  // namespace heddle::cli
