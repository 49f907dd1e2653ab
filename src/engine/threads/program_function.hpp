// What the tables for exceptions (.eh_frame) tell of a function of the program.
#pragma once

#include <cstdint>

#include "engine/isolation/modules.hpp"

namespace heddle::engine {

struct ProgramFunction {
  Range code;  ///< empty: not known
  /// It may have code that catches exceptions or cleans up after them. While an exception passes a function without
  /// such code, the unwinder restores the registers of its callers, and its own are lost.
  bool may_catch = true;
};

/// The function that a call returns to.
ProgramFunction find_function(std::uint64_t return_address);

}  // namespace heddle::engine
