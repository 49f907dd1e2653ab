// The end of the program, and exit handlers. Handlers that were registered before main, such as destructors of static
// objects, run at the end of every execution, as they would at the end of every process.
#include <stdio.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <cstdlib>

#include "abi/libc/handler_safety.hpp"
#include "abi/libc/stream_locks.hpp"
#include "abi/start/check.hpp"
#include "abi/start/forever.hpp"
#include "abi/start/process.hpp"
#include "abi/start/runtime.hpp"
#include "abi/system/child_processes.hpp"
#include "abi/system/process_state.hpp"
#include "engine/isolation/real.hpp"

namespace heddle::abi {

namespace {

/// A function of atexit(), on_exit() or at_quick_exit().
struct ExitHandler {
  void (*function)(void*);
  void (*function_with_status)(int, void*);  ///< of on_exit(); then `function` is null
  void* argument;

  void run(int status) const {
    if (function != nullptr)
      function(argument);
    else
      function_with_status(status, argument);
  }
};

/// Handlers in the order of their registration. Those from before main run at the end of every execution.
class ExitHandlers {
 public:
  void add(const ExitHandler& handler) { handlers_.push_back(forever(), handler); }
  void end_start_up() { start_up_ = start_up_left_ = handlers_.size(); }
  void begin_execution() {
    while (handlers_.size() > start_up_) handlers_.pop_back();
    start_up_left_ = start_up_;
  }
  /// Runs each handler once in an execution, the newest first: also if a handler registers another one, or calls
  /// exit() itself.
  void run(int status) {
    for (;;) {
      if (handlers_.size() > start_up_) {
        const ExitHandler handler = handlers_.back();
        handlers_.pop_back();
        handler.run(status);
      } else if (start_up_left_ > 0) {
        handlers_[--start_up_left_].run(status);
      } else {
        return;
      }
    }
  }
  /// Calls `take` for each handler, and forgets them all.
  template <typename Take>
  void hand_over(Take take) {
    for (const ExitHandler& handler : handlers_) take(handler);
    handlers_.clear();
  }

 private:
  base::ArenaVector<ExitHandler> handlers_;
  std::size_t start_up_ = 0;       // the number of handlers from before main, which come first
  std::size_t start_up_left_ = 0;  // those that this execution has not run
};

constinit ExitHandlers at_exit, at_quick;
bool stdin_given = false;
bool raw_read_of_stdin = false;

int real_on_exit(void (*function)(int, void*), void* argument) {
  return engine::next_function<int (*)(void (*)(int, void*), void*)>("on_exit")(function, argument);
}
int real_at_quick_exit(void (*function)(void*), void* library) {
  return engine::next_function<int (*)(void (*)(void*), void*)>("__cxa_at_quick_exit")(function, library);
}

}  // namespace

void end_start_up() {
  at_exit.end_start_up();
  at_quick.end_start_up();
}
void set_stdin_given(bool given) { stdin_given = given; }

void exit_execution(int status, std::uint64_t site) {
  if (is_forked_child()) engine::exit_process(status);
  running()->thread_calls().run_tls_destructors();
  at_exit.run(status);
  flush_streams();
  exit_at_once(status, site);
}

void exit_at_once(int status, std::uint64_t site) {
  engine::Engine* engine = running();
  if (engine == nullptr) engine::exit_process(status);
  engine->thread_calls().exit_program({static_cast<std::uint8_t>(status), site});
}

void record_read_of_stdin(int fd) {
  if (fd == STDIN_FILENO && running() != nullptr && !stdin_given) raw_read_of_stdin = true;
}

void flush_output() {
  if (::__fpending(stdout) != 0) {
    // A thread that crashed inside the C library may have left the stream locked. No other thread can be in there.
    free_real_lock(stdout);
    ::fflush_unlocked(stdout);
  }
  forget_loader_error();
}

bool read_empty_stdin() { return raw_read_of_stdin || ::feof_unlocked(stdin) != 0; }

void forget_exit_handlers() {
  at_exit.begin_execution();
  at_quick.begin_execution();
}

void hand_exit_handlers_over() {
  at_exit.hand_over([](const ExitHandler& handler) {
    if (handler.function != nullptr)
      engine::real().cxa_atexit(handler.function, handler.argument, nullptr);
    else
      real_on_exit(handler.function_with_status, handler.argument);
  });
  at_quick.hand_over([](const ExitHandler& handler) { real_at_quick_exit(handler.function, nullptr); });
}

void reset_exit() {
  forget_exit_handlers();
  raw_read_of_stdin = false;
}

#pragma GCC visibility push(default)
extern "C" {

int __cxa_atexit(void (*function)(void*), void* argument, void* library) {
  if (is_main_left_alone() && running() == nullptr) return engine::real().cxa_atexit(function, argument, library);
  at_exit.add({function, nullptr, argument});
  return 0;
}
int atexit(void (*function)()) {
  return __cxa_atexit(reinterpret_cast<void (*)(void*)>(reinterpret_cast<void*>(function)), nullptr, nullptr);
}
int on_exit(void (*function)(int, void*), void* argument) {
  if (is_main_left_alone() && running() == nullptr) return real_on_exit(function, argument);
  at_exit.add({nullptr, function, argument});
  return 0;
}
int __cxa_thread_atexit_impl(void (*function)(void*), void* object, void*) {
  if (engine::Engine* engine = running())
    engine->thread_calls().add_tls_destructor(function, object);
  else
    __cxa_atexit(function, object, nullptr);  // a thread_local of the main thread, made before main
  return 0;
}

int __cxa_at_quick_exit(void (*function)(void*), void* library) {
  if (is_main_left_alone() && running() == nullptr) return real_at_quick_exit(function, library);
  at_quick.add({function, nullptr, nullptr});
  return 0;
}
int at_quick_exit(void (*function)()) {
  return __cxa_at_quick_exit(reinterpret_cast<void (*)(void*)>(reinterpret_cast<void*>(function)), nullptr);
}

__attribute__((noreturn)) void exit(int status) {
  if (running() == nullptr) {
    engine::real().exit(status);
    engine::exit_process(status);
  }
  check_in_handler("exit", HEDDLE_CALLER);
  exit_execution(status, HEDDLE_CALLER);
}
__attribute__((noreturn)) void quick_exit(int status) {
  if (running() != nullptr)
    at_quick.run(status);
  else
    engine::next_function<void (*)(int)>("quick_exit")(status);
  exit_at_once(status, HEDDLE_CALLER);
}
__attribute__((noreturn)) void _exit(int status) { exit_at_once(status, HEDDLE_CALLER); }
__attribute__((noreturn)) void _Exit(int status) { exit_at_once(status, HEDDLE_CALLER); }

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
