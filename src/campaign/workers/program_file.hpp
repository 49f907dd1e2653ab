// The program under test as a file: whether heddle can run it, and the build id that identifies it.
#pragma once

#include <string>

#include "base/result.hpp"

namespace heddle::campaign {

struct ProgramFile {
  std::string path;      ///< absolute
  std::string build_id;  ///< hexadecimal; if the linker wrote none, "content-" and a hash of the whole file
};

/// `name` is a path, or the name of a program in PATH. A problem says what the user can do about it.
Result<ProgramFile> inspect_program(const std::string& name);

}  // namespace heddle::campaign
