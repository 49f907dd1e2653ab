// State of the process that an execution may change outside its memory: open files, arguments and environment, the
// working folder, the file mode mask, signals. Memory, which holds the state of the C library, is for engine::Snapshot.
#pragma once

namespace heddle::abi {

/// Saves the state before the first execution.
void save_process_state(int argc, char** argv);
/// Restores the state after an execution. An execution without system calls cannot have changed files.
void restore_process_state(bool made_system_calls);
/// Sets the position in standard input to where it was before the first execution.
void rewind_input();
/// Frees the text of the last error of dlopen or dlsym. The loader has allocated it, in memory that is not reset, while
/// the C library's pointer to it is reset.
void forget_loader_error();
/// Writes out what the program's streams hold, as the end of a process does.
void flush_streams();

}  // namespace heddle::abi
