// Numbers, durations and sizes as users write and read them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::run {

/// Takes digits only, up to 64 bits.
std::optional<std::uint64_t> parse_number(std::string_view text);
/// Takes 1, true, yes and on, and their opposites.
std::optional<bool> parse_flag(std::string_view text);
/// "500ms", "10s", "2m", "1h", "1.5" (seconds).
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);
/// "4G", "512M", "64K", "1000" (bytes).
std::optional<std::uint64_t> parse_size(std::string_view text);

/// In the largest unit that needs no fraction: "10s", "4G". The parsers read it back as the same value.
std::string format_duration(std::chrono::milliseconds duration);
std::string format_size(std::uint64_t bytes);

}  // namespace heddle::run
