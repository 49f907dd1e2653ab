// What the worker needs of abi/, which knows the program's main, exit handlers and streams.
#pragma once

#include <cstddef>

#include "engine/isolation/modules.hpp"
#include "engine/recording/debug_state.hpp"

namespace heddle::engine {

struct ProgramHooks {
  void* (*run_main)(void* argument);
  void* argument;
  /// After an execution, on the root fiber: flush what the C library still holds of the program's output.
  void (*flush_output)();
  /// Before an execution: forget what the last one left behind outside the snapshot (exit handlers, stdin, ...).
  void (*reset)(bool made_system_calls);
  /// Before and after an execution in a child process: standard input begins where it began for the first execution.
  /// Processes share the position in the file.
  void (*rewind_input)();
  /// A file that the last execution opened to write to it; null if there is none.
  const char* (*written_file)();
  /// Writes a clause on what may have made the last execution differ from another one of the same decisions.
  void (*describe_influence)(char* text, std::size_t size, bool has_random_addresses);
  /// Did the program try to read a standard input that was not given?
  bool (*read_empty_stdin)();
  /// Around an execution with main taken over, in this process. False: it made no system call, so it printed nothing
  /// and opened nothing.
  void (*begin_system_call_watch)();
  bool (*end_system_call_watch)();
  DebugState* debug = nullptr;  ///< null: a debugger cannot stop the execution
};

/// heddle::check: what to run instead of main, and the stack of its caller, which is memory of the program too.
struct CheckBody {
  void (*function)(void*);
  void* argument;
  Range callers_stack;
};

}  // namespace heddle::engine
