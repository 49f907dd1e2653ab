// The program under test as a file: is it one that heddle can run, and which one is it?
#pragma once

#include <string>

#include "trace/result.hpp"

namespace heddle::campaign {

struct ProgramFile {
  std::string path;      ///< absolute
  std::string build_id;  ///< the linker's, in hexadecimal; without one, "content-" and a hash of the whole file
};

/// `name` is a path, or without a slash also a name in PATH. The sentences say what to do about what is wrong.
Result<ProgramFile> inspect_program(const std::string& name);

}  // namespace heddle::campaign
