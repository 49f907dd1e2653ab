// The life of the program's process: how it ends, and what it must not do.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::abi {

/// Takes over crash signals and C++'s terminate handler. Before the snapshot, once.
void catch_crashes();
/// Signals are handled on a stack of ours: the program may have set another one.
void use_own_signal_stack();
/// Gives them back to whoever had them.
void release_crashes();
/// The same again, if the program has set handlers of its own.
void restore_signal_handlers();
/// Runs exit handlers of this execution and of the time before main, then ends the execution.
[[noreturn]] void exit_execution();
/// Forgets the exit handlers of the last execution, and the state of the C library's streams.
void reset_exit_and_streams(bool made_system_calls);
void flush_output();
bool read_empty_stdin();
/// The exit handlers of an execution whose process goes on.
void forget_exit_handlers();
/// Main is not taken over: the C library gets the handlers that came before it.
void hand_exit_handlers_over();
/// The path of the heddle command beside this library; false if there is none.
bool find_driver(char* path, std::size_t size);
/// From now on exit handlers belong to an execution.
void end_start_up();
void set_stdin_given(bool given);

}  // namespace heddle::abi
