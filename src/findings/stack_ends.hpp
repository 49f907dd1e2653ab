// What of a stack belongs to the program: heddle's own frames and the libraries' start-up code are cut off at
// both ends. What lies between (a callback under std::call_once, say) stays.
#pragma once

#include <vector>

#include "findings/finding.hpp"

namespace heddle::findings {

/// Leaves a stack alone that would have nothing left.
void trim_stack(std::vector<Frame>& frames);

/// Code of the C and C++ libraries, headers included, that a reader may want to skip.
bool is_library_frame(const Frame& frame);

}  // namespace heddle::findings
