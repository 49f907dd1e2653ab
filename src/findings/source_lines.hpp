// The source of the program, for excerpts.
#pragma once

#include <string>
#include <vector>

namespace heddle::findings {

/// The lines of a file, without line ends. Empty if it cannot be read, or if it is larger than a source file is.
std::vector<std::string> source_lines(const std::string& path);

}  // namespace heddle::findings
