// The end of the program, and exit handlers. Handlers that were registered before main, such as destructors of static
// objects, run at the end of every execution, as they would at the end of every process.
#include <stdio.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <cstdlib>

#include "abi/check.hpp"
#include "abi/forever.hpp"
#include "abi/process.hpp"
#include "abi/runtime.hpp"
#include "engine/real.hpp"

namespace heddle::abi {

namespace {

struct ExitHandler {
  void (*function)(void*);
  void* argument;
};

base::ArenaVector<ExitHandler> handlers;
std::size_t start_up_handlers = 0;  // the number of handlers from before main, which come first
bool stdin_given = false;
bool raw_read_of_stdin = false;

[[noreturn]] void exit_at_once() {
  if (engine::Engine* engine = running()) engine->thread_calls().exit_program();
  ::_exit(0);
}

/// A handler of on_exit() gets the exit code as its first argument. It is always 0 here.
struct OnExit {
  void (*function)(int, void*);
  void* argument;
};
void call_on_exit(void* data) {
  const auto* handler = static_cast<OnExit*>(data);
  handler->function(0, handler->argument);
}

void unlock(FILE* stream) {
  // A thread that crashed inside the C library may have left the stream locked. No other thread can be in there.
  struct Lock {
    int lock, count;
    void* owner;
  };
  *reinterpret_cast<Lock*>(stream->_lock) = {};
}

}  // namespace

void end_start_up() { start_up_handlers = handlers.size(); }
void set_stdin_given(bool given) { stdin_given = given; }

void exit_execution() {
  running()->thread_calls().run_tls_destructors();
  for (std::size_t next = handlers.size(); next > 0;) {
    const ExitHandler handler = handlers[--next];
    if (next >= start_up_handlers) handlers.pop_back();  // a handler may register another, which runs first
    handler.function(handler.argument);
    if (handlers.size() > next && handlers.size() > start_up_handlers) next = handlers.size();
  }
  running()->thread_calls().exit_program();
}

void flush_output() {
  unlock(stdout);
  if (::__fpending(stdout) != 0) ::fflush_unlocked(stdout);
}

bool read_empty_stdin() { return raw_read_of_stdin || ::feof_unlocked(stdin) != 0; }

void forget_exit_handlers() {
  while (handlers.size() > start_up_handlers) handlers.pop_back();
}

void hand_exit_handlers_over() {
  for (const ExitHandler& handler : handlers) engine::real().cxa_atexit(handler.function, handler.argument, nullptr);
  handlers.clear();
}

void reset_exit_and_streams(bool made_system_calls) {
  forget_exit_handlers();
  unlock(stdin);
  unlock(stderr);
  raw_read_of_stdin = false;
  if (!stdin_given || !made_system_calls) return;
  ::__fpurge(stdin);
  ::clearerr_unlocked(stdin);
  ::lseek(STDIN_FILENO, 0, SEEK_SET);
}

#pragma GCC visibility push(default)
extern "C" {

int __cxa_atexit(void (*function)(void*), void* argument, void* library) {
  if (is_main_left_alone() && running() == nullptr) return engine::real().cxa_atexit(function, argument, library);
  handlers.push_back(forever(), {function, argument});
  return 0;
}
int atexit(void (*function)()) {
  return __cxa_atexit(reinterpret_cast<void (*)(void*)>(reinterpret_cast<void*>(function)), nullptr, nullptr);
}
int on_exit(void (*function)(int, void*), void* argument) {
  return __cxa_atexit(call_on_exit, forever().create<OnExit>(function, argument), nullptr);
}
int __cxa_thread_atexit_impl(void (*function)(void*), void* object, void*) {
  if (engine::Engine* engine = running())
    engine->thread_calls().add_tls_destructor(function, object);
  else
    __cxa_atexit(function, object, nullptr);  // a thread_local of the main thread, made before main
  return 0;
}

__attribute__((noreturn)) void exit(int code) {
  if (running() == nullptr) {
    engine::real().exit(code);
    ::_exit(code);
  }
  exit_execution();
}
__attribute__((noreturn)) void quick_exit(int) { exit_at_once(); }
__attribute__((noreturn)) void _Exit(int) { exit_at_once(); }

ssize_t read(int fd, void* buffer, std::size_t size) {
  if (fd == STDIN_FILENO && running() != nullptr && !stdin_given) raw_read_of_stdin = true;
  return engine::real().read(fd, buffer, size);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
