// What POSIX says about actions: the mask of a handler, SA_NODEFER, SA_RESETHAND, ignored signals, a jump out of a
// handler, and delivery before raise() returns.
// heddle: clean
// heddle-levels: -O0 -O2
#define _GNU_SOURCE
#include <assert.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t depth, deepest, first, second;
static sigjmp_buf out;

static int is_blocked(int number) {
  sigset_t mask;
  sigprocmask(SIG_SETMASK, NULL, &mask);
  return sigismember(&mask, number);
}

static void nests(int number) {
  if (++depth > deepest) deepest = depth;
  if (depth < 3) raise(number);
  --depth;
}

static void is_deferred(int number) {
  assert(is_blocked(number) && is_blocked(SIGUSR2) && !is_blocked(SIGHUP));
  if (first++ == 0) {
    raise(number);
    raise(SIGUSR2);
    assert(first == 1 && second == 0);
  }
}

static void counts(int number) {
  (void)number;
  ++second;
}

static void jumps(int number) { siglongjmp(out, number); }

int main(void) {
  struct sigaction action = {.sa_handler = nests, .sa_flags = SA_NODEFER}, old;
  assert(sigaction(SIGUSR1, &action, NULL) == 0);
  raise(SIGUSR1);
  assert(deepest == 3);

  action = (struct sigaction){.sa_handler = is_deferred};
  sigaddset(&action.sa_mask, SIGUSR2);
  sigaction(SIGUSR1, &action, &old);
  assert(old.sa_handler == nests && (old.sa_flags & SA_NODEFER) != 0);
  signal(SIGUSR2, counts);
  kill(getpid(), SIGUSR1);
  assert(first == 2 && second == 1);
  assert(!is_blocked(SIGUSR1) && !is_blocked(SIGUSR2));

  action = (struct sigaction){.sa_handler = counts, .sa_flags = (int)SA_RESETHAND};
  sigaction(SIGCHLD, &action, NULL);
  raise(SIGCHLD);
  raise(SIGCHLD);  // ignored by default
  assert(second == 2);
  sigaction(SIGCHLD, NULL, &old);
  assert(old.sa_handler == SIG_DFL);
  signal(SIGTERM, SIG_IGN);
  raise(SIGTERM);

  signal(SIGHUP, jumps);
  if (sigsetjmp(out, 1) == 0) {
    raise(SIGHUP);
    assert(0);
  }
  assert(!is_blocked(SIGHUP));

  sigset_t set, pending;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigprocmask(SIG_BLOCK, &set, NULL);
  raise(SIGUSR2);
  sigpending(&pending);
  assert(second == 2 && sigismember(&pending, SIGUSR2));
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  assert(second == 3);
  return 0;
}
