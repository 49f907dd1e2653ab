// Functions of the C library that print a message and end the program. The C library's own versions call its own
// exit(), which ends the process of the worker.
#include <err.h>
#include <error.h>

#include <cstdarg>
#include <cstdio>

#include "abi/start/process.hpp"
#include "abi/start/runtime.hpp"
#include "engine/isolation/real.hpp"

namespace heddle::abi {

namespace {

/// Ends the execution, or the process outside of executions.
[[noreturn]] void end_program(int status, std::uint64_t site) {
  if (running() != nullptr) exit_execution(status, site);
  engine::real().exit(status);
  engine::exit_process(status);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

__attribute__((noreturn)) void verr(int status, const char* format, va_list arguments) {
  ::vwarn(format, arguments);
  end_program(status, HEDDLE_CALLER);
}
__attribute__((noreturn)) void verrx(int status, const char* format, va_list arguments) {
  ::vwarnx(format, arguments);
  end_program(status, HEDDLE_CALLER);
}
__attribute__((noreturn)) void err(int status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  ::vwarn(format, arguments);
  end_program(status, HEDDLE_CALLER);
}
__attribute__((noreturn)) void errx(int status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  ::vwarnx(format, arguments);
  end_program(status, HEDDLE_CALLER);
}
void error(int status, int number, const char* format, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  engine::next_function<void (*)(int, int, const char*, ...)>("error")(0, number, "%s", text);
  if (status != 0) end_program(status, HEDDLE_CALLER);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
