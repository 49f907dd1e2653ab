// Files that are either written completely or not there: a temporary beside the target, then rename.
#pragma once

#include <string>
#include <string_view>

#include "trace/result.hpp"

namespace heddle {

Outcome write_file_atomically(const std::string& path, std::string_view content);
Result<std::string> read_whole_file(const std::string& path);

}  // namespace heddle
