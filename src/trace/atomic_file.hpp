// Writes files completely or not at all: into a temporary file beside the target, which is then renamed.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace heddle {

Outcome write_file_atomically(const std::string& path, std::string_view content);
Result<std::string> read_whole_file(const std::string& path);

}  // namespace heddle
