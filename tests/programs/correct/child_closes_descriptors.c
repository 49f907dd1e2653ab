// heddle: clean
// heddle-runs: 20
// heddle-levels: -O0 -O2
// Children that close all their descriptors before they run another program, as libraries that start programs do; and
// children that are made by _Fork and by system calls.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { first_closed = 3, most_descriptors = 1024 };

static atomic_int worked;

static void* work(void* unused) {
  atomic_fetch_add(&worked, 1);
  return unused;
}

static void close_range_of_all(void) { close_range(first_closed, ~0U, 0); }
static void close_from(void) { closefrom(first_closed); }
static void close_each(void) {
  for (int fd = first_closed; fd < most_descriptors; fd++) close(fd);
}
static void close_by_system_call(void) { syscall(SYS_close_range, first_closed, ~0U, 0); }
static void close_nothing(void) {}

static pid_t fork_by_system_call(void) { return (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L); }

static void run_true(char* const arguments[]) { execv("/bin/true", arguments); }
static void run_true_by_system_call(char* const arguments[]) { syscall(SYS_execve, "/bin/true", arguments, environ); }
/// The first program does not exist, the second one does.
static void search_for_true(char* const arguments[]) {
  execv("/nowhere/true", arguments);
  assert(errno == ENOENT);
  execv("/bin/true", arguments);
}

static void start(pid_t (*make_child)(void), void (*close_descriptors)(void), void (*run)(char* const[])) {
  char name[] = "true";
  char* const arguments[] = {name, NULL};
  const pid_t child = make_child();
  if (child == 0) {
    close_descriptors();
    run(arguments);
    _exit(127);
  }
  assert(child > 0);
  int status = -1;
  assert(waitpid(child, &status, 0) == child);
  assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  start(fork, close_range_of_all, run_true);
  start(fork, close_from, run_true);
  start(fork, close_each, search_for_true);
  start(fork, close_by_system_call, run_true_by_system_call);
  start(_Fork, close_nothing, run_true);
  start(fork_by_system_call, close_range_of_all, run_true);
  pthread_join(thread, NULL);
  assert(atomic_load(&worked) == 1);
  return 0;
}
