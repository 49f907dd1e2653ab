// Removes heddle's own frames and the libraries' start-up code from both ends of a stack. Frames between those of the
// program, such as std::call_once around a callback, stay.
#pragma once

#include <vector>

#include "findings/finding.hpp"

namespace heddle::findings {

/// A stack of which nothing would be left stays unchanged.
void trim_stack(std::vector<Frame>& frames);

/// Code of the C and C++ libraries, including their headers.
bool is_library_frame(const Frame& frame);

}  // namespace heddle::findings
