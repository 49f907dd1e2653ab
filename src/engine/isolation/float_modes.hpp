// How a thread computes with floating-point numbers (rounding, flushing to zero, which exceptions it has met) is a
// register of its own, MXCSR. Keeping one for each thread costs 5 ns a switch: so that is done only for programs that
// could tell.
#pragma once

#include "engine/isolation/modules.hpp"

namespace heddle::engine {

/// Could the program, or a library of it, read or change these modes? If it neither imports a function that does, nor
/// has bytes that could be such an instruction, nor loads further code, it cannot. Says yes when in doubt.
bool may_use_float_modes(const Modules& modules);

}  // namespace heddle::engine
