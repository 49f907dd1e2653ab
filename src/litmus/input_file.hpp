// Whether a file can be read as a whole.
#pragma once

#include <filesystem>
#include <string>

#include "litmus/position.hpp"

namespace heddle::litmus {

/// Returns nothing, or why the file is not read: devices and pipes may have no end, or may never begin.
inline Outcome check_input_file(const std::string& file) {
  constexpr std::uintmax_t most = std::uintmax_t{64} << 20;
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (error || !std::filesystem::exists(status)) return problem_at(file, {}, "cannot be read");
  if (!std::filesystem::is_regular_file(status)) return problem_at(file, {}, "this is not a regular file");
  if (std::filesystem::file_size(file, error) > most) return problem_at(file, {}, "this is larger than 64 MiB");
  return {};
}

}  // namespace heddle::litmus
