// What an execution may leave behind outside its memory: open files, environment variables, changed arguments.
#pragma once

namespace heddle::abi {

/// Remembers how things are now, before the first execution.
void save_process_state(int argc, char** argv);
/// Brings them back. Without system calls no files were opened.
void restore_process_state(bool made_system_calls);

}  // namespace heddle::abi
