// Processes that the program starts.
#pragma once

#include <sys/types.h>

#include "abi/start/runtime.hpp"

namespace heddle::abi {

/// True in a child between fork and exec.
bool is_forked_child();
/// fork(), _Fork() and vfork(), called at `site` while an execution runs.
pid_t fork_for_exec(engine::Engine& engine, std::uint64_t site);
/// Ends the execution: the program calls clone or clone3 for more than what fork does.
[[noreturn]] void refuse_clone(engine::Engine& engine, const char* call);
/// The kernel's id of the process that the program knows by `id`.
pid_t real_process(pid_t id);
/// After an execution: ends the processes that it has left behind.
void end_children();

}  // namespace heddle::abi
