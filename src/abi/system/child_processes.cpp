// Other programs that the program starts: fork and exec, system, popen, posix_spawn, and waiting for their end. The
// child is a process of its own, outside of heddle. A fork whose child continues to run the same program is refused.
//
// The ids of child processes are numbers of the execution, so that they are the same in every execution.
#include "abi/system/child_processes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "abi/instrumentation/user_memory.hpp"
#include "abi/libc/handler_safety.hpp"
#include "abi/start/switch_off.hpp"
#include "abi/system/descriptor_calls.hpp"
#include "abi/system/exec_notice.hpp"

namespace heddle::abi {

namespace {

using engine::Engine;

constexpr pid_t first_virtual_pid = 5000;
constexpr std::size_t most_children = 256;
// Descriptors of the runtime have numbers that programs rarely reach, since programs expect the lowest free one.
constexpr long first_own_descriptor = 200;
// How long a call with WNOHANG waits if the strategy has decided that it finds the child's end.
constexpr int patience_in_milliseconds = 2000;

struct Child {
  pid_t real = 0;  ///< 0: the program has waited for it
  int pidfd = -1;
};
Child children[most_children];
std::size_t count = 0;

bool is_child = false;  // this process is a child between fork and exec

int out_of_the_way(long fd) {
  const long moved = kernel(SYS_fcntl, fd, F_DUPFD_CLOEXEC, first_own_descriptor);
  kernel(SYS_close, fd);
  return static_cast<int>(moved);
}

/// The id under which the program knows the child.
pid_t add_child(Engine& engine, pid_t real) {
  engine.descriptors().add_child();
  if (count == most_children)
    engine.execution().unsupported("the program starts more than %zu processes in one execution", most_children);
  const long pidfd = kernel(SYS_pidfd_open, real, 0);
  children[count] = {real, pidfd < 0 ? -1 : out_of_the_way(pidfd)};
  return first_virtual_pid + static_cast<pid_t>(count++);
}

Child* find_child(pid_t id) {
  if (id < first_virtual_pid || id >= first_virtual_pid + static_cast<pid_t>(count)) return nullptr;
  Child& child = children[id - first_virtual_pid];
  return child.real == 0 ? nullptr : &child;
}
pid_t id_of(const Child& child) { return first_virtual_pid + static_cast<pid_t>(&child - children); }

void forget(Child& child) {
  if (child.pidfd >= 0) kernel(SYS_close, child.pidfd);
  child = {};
}

/// The child inherits what exec does not reset: ignored signals and the mask. The program's are virtual.
void begin_child(Engine& engine) {
  const engine::SignalSet mask = engine.signals().mask();
  for (int number = 1; number < 32; ++number) {
    struct sigaction action {};
    action.sa_handler = engine.signals().action(number).sa_handler == SIG_IGN ? SIG_IGN : SIG_DFL;
    engine::real().sigaction(number, &action, nullptr);
  }
  kernel(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, sizeof mask);
  Engine::leave_process();
}

// ---- waiting ----------------------------------------------------------------------------------------------------

/// The children that the program waits for: one, or all.
std::size_t list_awaited(pid_t id, pollfd* out) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (children[i].real != 0 && (id <= 0 || id == id_of(children[i]))) out[size++] = {children[i].pidfd, POLLIN, 0};
  return size;
}

pid_t take_ended(Engine& engine, pid_t id, int* status, int options, rusage* usage) {
  for (std::size_t i = 0; i < count; ++i) {
    Child& child = children[i];
    if (child.real == 0 || (id > 0 && id != id_of(child))) continue;
    int result = 0;
    const long ended = kernel(SYS_wait4, child.real, &result, options, usage);
    if (ended <= 0) continue;
    if (status != nullptr) *status = result;
    const pid_t known_as = id_of(child);
    if (WIFEXITED(result) || WIFSIGNALED(result)) {
      forget(child);
      engine.descriptors().remove_child();
    }
    return known_as;
  }
  return 0;
}

pid_t wait_for_child(Engine& engine, pid_t id, int* status, int options, rusage* usage, std::uint64_t site) {
  pollfd awaited[most_children];
  for (;;) {
    const std::size_t size = list_awaited(id, awaited);
    if (size == 0) {
      errno = ECHILD;
      return -1;
    }
    if ((options & WNOHANG) == 0) {
      if (!at_cancellation_point(engine, engine::Interruptible::unless_restarted, [&] {
            return engine.descriptors().wait_for_outside({awaited, size}, site);
          })) {
        engine.current().take_wait_end();
        errno = EINTR;
        return -1;
      }
      kernel(SYS_poll, awaited, size, -1);
    } else {
      // When the child ends is a matter of real time. The strategy decides whether the call finds that it has.
      if (engine.choose_value(2, site) == 0) return 0;
      kernel(SYS_poll, awaited, size, patience_in_milliseconds);
    }
    const pid_t ended = take_ended(engine, id, status, options | WNOHANG, usage);
    if (ended != 0 || (options & WNOHANG) != 0) return ended;
  }
}

using Spawn = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*, char* const[],
                      char* const[]);

int spawn(const char* function, pid_t* id, const char* path, const posix_spawn_file_actions_t* actions,
          const posix_spawnattr_t* attributes, char* const arguments[], char* const environment[], std::uint64_t site) {
  Engine* engine = running();
  const auto real_spawn = engine::next_function<Spawn>(function);
  if (engine == nullptr) return real_spawn(id, path, actions, attributes, arguments, environment);
  engine->descriptors().change_table(site);
  engine->descriptors().share_with_child();
  pid_t real = 0;
  const ChildEnvironment of_child(environment);
  const int error = real_spawn(&real, path, actions, attributes, arguments, of_child.entries());
  if (error != 0) return error;
  const pid_t known_as = add_child(*engine, real);
  if (id != nullptr) *id = known_as;
  return 0;
}

/// Passes on the child that a wait has found, and announces the write of its status.
pid_t announce_status(pid_t child, const int* status, std::uint64_t site) {
  if (child > 0) writes_object(status, site);
  return child;
}

/// In a child, tells the parent, and calls `exec`. Elsewhere the program would replace itself.
template <typename Exec>
int announce_and_call(const char* path, Exec exec) {
  if (Engine* engine = running())
    engine->execution().unsupported("the program replaces itself by %.80s (exec); heddle cannot follow it there", path);
  if (is_child) announce_exec();
  const int result = exec();
  if (is_child) withdraw_exec();
  return result;
}

/// Only a child of an execution gets another environment. The memory is that of the child's own process.
char* const* environment_after_exec(char* const environment[]) {
  if (!is_forked_child()) return environment;
  alignas(ChildEnvironment) static char storage[sizeof(ChildEnvironment)];
  return (new (storage) ChildEnvironment(environment))->entries();
}

constexpr std::size_t most_arguments = 1024;

/// The arguments of execl() and the like, up to the null pointer.
void list_arguments(const char* first, va_list list, char** out) {
  std::size_t size = 0;
  out[size++] = const_cast<char*>(first);
  while (out[size - 1] != nullptr && size < most_arguments) out[size++] = va_arg(list, char*);
  out[most_arguments - 1] = nullptr;
}

}  // namespace

bool is_forked_child() { return is_child; }

pid_t fork_for_exec(Engine& engine, std::uint64_t site) {
  engine.descriptors().change_table(site);
  engine.descriptors().share_with_child();
  int ends[2];
  if (kernel(SYS_pipe2, ends, O_CLOEXEC) != 0) return -1;
  const int from_child = out_of_the_way(ends[0]), to_parent = out_of_the_way(ends[1]);
  clear_exec_notice();
  const pid_t real = engine::real().fork();
  if (real == 0) {
    kernel(SYS_close, from_child);
    is_child = true;
    begin_child(engine);
    return 0;
  }
  kernel(SYS_close, to_parent);
  const bool is_clean = real < 0 || runs_another_program(real, from_child);
  kernel(SYS_close, from_child);
  if (real < 0) return -1;
  if (!is_clean) {
    kernel(SYS_kill, real, SIGKILL);
    kernel(SYS_wait4, real, nullptr, 0, nullptr);
    engine.execution().unsupported(
        "the program calls fork, and the child does not run another program (exec); heddle controls the threads of one "
        "process only");
  }
  return add_child(engine, real);
}

void refuse_clone(Engine& engine, const char* call) {
  engine.execution().unsupported(
      "the program creates a process or a thread with %s, which heddle cannot follow; use pthread_create for threads, "
      "and "
      "fork and exec, or posix_spawn, for other programs",
      call);
}

pid_t real_process(pid_t id) {
  const Child* child = find_child(id);
  return child == nullptr ? id : child->real;
}

void end_children() {
  for (std::size_t i = 0; i < count; ++i) {
    if (children[i].real == 0) continue;
    kernel(SYS_kill, children[i].real, SIGKILL);
    kernel(SYS_wait4, children[i].real, nullptr, 0, nullptr);
    forget(children[i]);
  }
  count = 0;
}

#pragma GCC visibility push(default)
extern "C" {

pid_t fork() {
  Engine* engine = running();
  return engine == nullptr ? engine::real().fork() : fork_for_exec(*engine, HEDDLE_CALLER);
}
pid_t vfork() {
  Engine* engine = running();
  return engine == nullptr ? engine::real().fork() : fork_for_exec(*engine, HEDDLE_CALLER);
}

pid_t _Fork() {
  Engine* engine = running();
  return engine == nullptr ? engine::next_function<pid_t (*)()>("_Fork")() : fork_for_exec(*engine, HEDDLE_CALLER);
}
int clone(int (*function)(void*), void* stack, int flags, void* argument, ...) {
  if (Engine* engine = running()) refuse_clone(*engine, "clone");
  va_list list;
  va_start(list, argument);
  void* further[3];
  for (void*& pointer : further) pointer = va_arg(list, void*);
  va_end(list);
  using Clone = int (*)(int (*)(void*), void*, int, void*, ...);
  return engine::next_function<Clone>("clone")(function, stack, flags, argument, further[0], further[1], further[2]);
}

int execve(const char* path, char* const arguments[], char* const environment[]) {
  return announce_and_call(
      path, [&] { return static_cast<int>(kernel(SYS_execve, path, arguments, environment_after_exec(environment))); });
}
int execveat(int folder, const char* path, char* const arguments[], char* const environment[], int flags) {
  return announce_and_call(path, [&] {
    return static_cast<int>(kernel(SYS_execveat, folder, path, arguments, environment_after_exec(environment), flags));
  });
}
int execv(const char* path, char* const arguments[]) { return execve(path, arguments, environ); }
int execvpe(const char* path, char* const arguments[], char* const environment[]) {
  using Execute = int (*)(const char*, char* const[], char* const[]);
  return announce_and_call(path, [&] {
    return engine::next_function<Execute>("execvpe")(path, arguments, environment_after_exec(environment));
  });
}
int execvp(const char* path, char* const arguments[]) { return execvpe(path, arguments, environ); }
int fexecve(int fd, char* const arguments[], char* const environment[]) {
  return announce_and_call("a descriptor", [&] {
    return static_cast<int>(
        kernel(SYS_execveat, fd, "", arguments, environment_after_exec(environment), AT_EMPTY_PATH));
  });
}
int execl(const char* path, const char* first, ...) {
  va_list list;
  va_start(list, first);
  char* arguments[most_arguments];
  list_arguments(first, list, arguments);
  va_end(list);
  return execv(path, arguments);
}
int execlp(const char* path, const char* first, ...) {
  va_list list;
  va_start(list, first);
  char* arguments[most_arguments];
  list_arguments(first, list, arguments);
  va_end(list);
  return execvpe(path, arguments, environ);
}
int execle(const char* path, const char* first, ...) {
  va_list list;
  va_start(list, first);
  char* arguments[most_arguments];
  list_arguments(first, list, arguments);
  char* const* environment = va_arg(list, char* const*);
  va_end(list);
  return execve(path, arguments, environment);
}

int posix_spawn(pid_t* id, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const arguments[], char* const environment[]) {
  return spawn("posix_spawn", id, path, actions, attributes, arguments, environment, HEDDLE_CALLER);
}
int posix_spawnp(pid_t* id, const char* path, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const arguments[], char* const environment[]) {
  return spawn("posix_spawnp", id, path, actions, attributes, arguments, environment, HEDDLE_CALLER);
}

int system(const char* command) {
  check_in_handler("system", HEDDLE_CALLER);
  reads_text(command, HEDDLE_CALLER);
  Engine* engine = running();
  if (engine == nullptr || command == nullptr) return engine::next_function<int (*)(const char*)>("system")(command);
  char shell[] = "sh", option[] = "-c";
  char* const arguments[] = {shell, option, const_cast<char*>(command), nullptr};
  pid_t child = 0;
  const std::uint64_t site = HEDDLE_CALLER;
  if (spawn("posix_spawn", &child, "/bin/sh", nullptr, nullptr, arguments, environ, site) != 0) return -1;
  int status = 0;
  while (wait_for_child(*engine, child, &status, 0, nullptr, site) < 0)
    if (errno != EINTR) return -1;
  return status;
}
FILE* popen(const char* command, const char* mode) {
  check_in_handler("popen", HEDDLE_CALLER);
  const auto real_popen = engine::next_function<FILE* (*)(const char*, const char*)>("popen");
  Engine* engine = running();
  if (engine == nullptr) return real_popen(command, mode);
  engine->descriptors().share_with_child();
  char** const own = environ;
  const ChildEnvironment of_child(own);
  environ = const_cast<char**>(of_child.entries());
  FILE* const stream = real_popen(command, mode);
  environ = own;
  return stream;
}

pid_t wait4(pid_t id, int* status, int options, rusage* usage) {
  Engine* engine = running();
  if (engine == nullptr) return static_cast<pid_t>(kernel(SYS_wait4, id, status, options, usage));
  return announce_status(wait_for_child(*engine, id, status, options, usage, HEDDLE_CALLER), status, HEDDLE_CALLER);
}
pid_t wait3(int* status, int options, rusage* usage) {
  Engine* engine = running();
  if (engine == nullptr) return static_cast<pid_t>(kernel(SYS_wait4, -1, status, options, usage));
  return announce_status(wait_for_child(*engine, -1, status, options, usage, HEDDLE_CALLER), status, HEDDLE_CALLER);
}
pid_t waitpid(pid_t id, int* status, int options) {
  Engine* engine = running();
  if (engine == nullptr) return static_cast<pid_t>(kernel(SYS_wait4, id, status, options, nullptr));
  return announce_status(wait_for_child(*engine, id, status, options, nullptr, HEDDLE_CALLER), status, HEDDLE_CALLER);
}
pid_t wait(int* status) {
  Engine* engine = running();
  if (engine == nullptr) return static_cast<pid_t>(kernel(SYS_wait4, -1, status, 0, nullptr));
  return announce_status(wait_for_child(*engine, -1, status, 0, nullptr, HEDDLE_CALLER), status, HEDDLE_CALLER);
}
int waitid(idtype_t type, id_t id, siginfo_t* info, int options) {
  Engine* engine = running();
  const bool is_known = engine != nullptr && (type == P_ALL || type == P_PID);
  if (!is_known || (options & WNOWAIT) != 0)
    return static_cast<int>(kernel(SYS_waitid, type, id, info, options, nullptr));
  int status = 0;
  const pid_t ended = wait_for_child(*engine, type == P_ALL ? -1 : static_cast<pid_t>(id), &status, options & WNOHANG,
                                     nullptr, HEDDLE_CALLER);
  if (ended < 0) return -1;
  if (info == nullptr) return 0;
  std::memset(info, 0, sizeof *info);
  if (ended == 0) return 0;
  info->si_signo = SIGCHLD;
  info->si_pid = ended;
  info->si_code = WIFEXITED(status) ? CLD_EXITED : CLD_KILLED;
  info->si_status = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace heddle::abi
