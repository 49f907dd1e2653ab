// Starts gdb for heddle replay --gdb (session/debugger.hpp).
#pragma once

#include "session/debugger.hpp"

namespace heddle::cli {

/// The executable and the script are found here. Returns only if gdb cannot be started, with an exit code.
int run_under_gdb(session::Debug task);

}  // namespace heddle::cli
