// Makes a process in one of the ways that are not fork(). The child does not run another program.
#define _GNU_SOURCE
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char stack[65536];

static int child_main(void* unused) {
  (void)unused;
  _exit(0);
}

static long clone_as_third_version(void) {
  struct clone_args arguments = {.exit_signal = SIGCHLD};
  return syscall(SYS_clone3, &arguments, sizeof arguments);
}

/// A child of the kernel alone: heddle sees it when it ends.
static long clone_in_assembly(void) {
  long result = SYS_clone;
#if defined(__x86_64__)
  register long child_tid __asm__("r10") = 0;
  register long tls __asm__("r8") = 0;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"((long)SIGCHLD), "S"(0L), "d"(0L), "r"(child_tid), "r"(tls)
                   : "rcx", "r11", "memory");
#endif
  return result;
}

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "";
  long child = -1;
  if (strcmp(way, "_Fork") == 0) child = _Fork();
  if (strcmp(way, "clone") == 0) child = clone(child_main, stack + sizeof stack, SIGCHLD, NULL);
  if (strcmp(way, "clone with shared memory") == 0)
    child = clone(child_main, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL);
#if defined(SYS_fork)
  if (strcmp(way, "SYS_fork") == 0) child = syscall(SYS_fork);
  if (strcmp(way, "SYS_vfork") == 0) child = syscall(SYS_vfork);
#endif
  if (strcmp(way, "SYS_clone") == 0) child = syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
  if (strcmp(way, "SYS_clone with shared memory") == 0)
    child = syscall(SYS_clone, (long)(CLONE_VM | CLONE_VFORK | SIGCHLD), 0L, 0L, 0L, 0L);
  if (strcmp(way, "SYS_clone3") == 0) child = clone_as_third_version();
  if (strcmp(way, "assembly") == 0) child = clone_in_assembly();
  if (child == 0) exit(0);
  int status = 0;
  waitpid((pid_t)child, &status, 0);
  return 0;
}
