// State of the process that an execution may change outside its memory: open files, environment variables, arguments.
#pragma once

namespace heddle::abi {

/// Saves the state before the first execution.
void save_process_state(int argc, char** argv);
/// Restores the state after an execution. An execution without system calls cannot have opened files.
void restore_process_state(bool made_system_calls);

}  // namespace heddle::abi
