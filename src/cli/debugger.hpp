// heddle replay --gdb. The driver replays the execution first, to know its events, and starts gdb with gdb/heddle.py,
// which has the commands of heddle. gdb starts the program by `heddle debug-start`, which gives it a new channel each
// time, so that the execution can be run again, up to any step.
#pragma once

#include <string>

#include "campaign/settings.hpp"
#include "findings/finding.hpp"
#include "session/replay.hpp"

namespace heddle::cli {

/// Starts gdb at the step of the finding, which may be null. The exit code is gdb's.
int run_under_gdb(const std::string& trace, const campaign::Subject& subject, const session::Replayed& replayed,
                  const findings::Finding* finding);

}  // namespace heddle::cli
