// Signals, exit handlers and the end of the program's process.
#pragma once

#include <signal.h>

#include <cstddef>
#include <cstdint>

namespace heddle::engine {
class Engine;
}

namespace heddle::abi {

/// Installs handlers for crash signals and C++'s terminate handler. Call once, before the snapshot.
void catch_crashes();
/// Makes the runtime's signal stack the current one; the program may have set another.
void use_own_signal_stack();
/// Restores the handlers from before.
void release_crashes();
/// The program has a new action for the signal: faults, and signals of other processes, must reach it.
void set_kernel_action(engine::Engine& engine, int number, const struct sigaction& action);
/// Restores the kernel's signal handlers, if the execution has changed them.
void restore_signals();
/// Runs the exit handlers of this execution and those from before main, then ends the execution. `site` is the call
/// that asked for it; 0: main returned.
[[noreturn]] void exit_execution(int status, std::uint64_t site);
/// Ends the execution without exit handlers. Outside of an execution, ends the process.
[[noreturn]] void exit_at_once(int status, std::uint64_t site);
/// Discards the exit handlers of the last execution.
void reset_exit();
void flush_output();
bool read_empty_stdin();
/// The program reads from a descriptor by a call of its own, not through a stream.
void record_read_of_stdin(int fd);
/// Discards the exit handlers of the last execution.
void forget_exit_handlers();
/// Passes the handlers that were registered so far to the C library. For programs whose main is not taken over.
void hand_exit_handlers_over();
/// Finds the path of the heddle command beside this library. Returns false if there is none.
bool find_driver(char* path, std::size_t size);
/// Assigns exit handlers that are registered from now on to the execution.
void end_start_up();
void set_stdin_given(bool given);
/// An instrumented module begins its life. During an execution, that is a library that the program loads (dlopen).
void register_loaded_library();
/// True while constructors of static objects run before the first execution.
bool is_program_starting();
/// A constructor of a static object does what belongs into executions: it creates a thread or a descriptor between
/// threads. Starts the program again, with all its constructors in every execution, and does not return then. Returns
/// if no constructor of the program runs. `what` says what a library's constructor does: that is refused.
void run_constructors_in_executions(const char* what);

}  // namespace heddle::abi
