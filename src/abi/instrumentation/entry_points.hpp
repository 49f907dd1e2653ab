// The table of the entry points that instrumented code calls, for the emulation of that code
// (engine/waiting/retry_loops.hpp).
#pragma once

#include <span>

#include "machine/emulator.hpp"

namespace heddle::abi {

/// Sorted by address. Made at the first call.
std::span<const machine::EntryPoint> entry_points();

}  // namespace heddle::abi
