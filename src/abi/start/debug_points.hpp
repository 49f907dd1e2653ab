// Where a debugger stops a replay.
#pragma once

#include "engine/recording/debug_state.hpp"

namespace heddle::abi {

extern "C" engine::DebugState heddle_debug_state;

}  // namespace heddle::abi
