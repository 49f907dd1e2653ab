// Runs a worker under gdb.
#pragma once

#include "campaign/settings.hpp"

namespace heddle::cli {

/// Starts gdb on the program with a channel that asks for the first execution of `settings`. The exit code is gdb's.
int run_under_gdb(const campaign::Settings& settings);

}  // namespace heddle::cli
