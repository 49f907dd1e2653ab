// Processes that the program starts.
#pragma once

#include <sys/types.h>

namespace heddle::abi {

/// True in a child between fork and exec.
bool is_forked_child();
/// The kernel's id of the process that the program knows by `id`.
pid_t real_process(pid_t id);
/// After an execution: ends the processes that it has left behind.
void end_children();

}  // namespace heddle::abi
