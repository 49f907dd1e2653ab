// What an execution may leave behind outside its memory: open files, environment variables, changed arguments.
#pragma once

namespace heddle::abi {

/// Remembers how things are now, before the first execution.
void save_process_state(int argc, char** argv);
/// Brings them back.
void restore_process_state();

}  // namespace heddle::abi
