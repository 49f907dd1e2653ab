// sigwait, sigwaitinfo and sigtimedwait take signals that every thread blocks, to a thread and to the process. Sending
// happens before the return of the wait.
// heddle: clean
// heddle-levels: -O0 -O2
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static int data[3];

static sigset_t set_of(int number) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  return set;
}

static void* waits(void* unused) {
  (void)unused;
  sigset_t set = set_of(SIGUSR1);
  int number = 0;
  assert(sigwait(&set, &number) == 0);
  assert(number == SIGUSR1);
  assert(data[0] == 1);

  siginfo_t info;
  set = set_of(SIGRTMIN + 1);
  assert(sigwaitinfo(&set, &info) == SIGRTMIN + 1);
  assert(info.si_code == SI_QUEUE && info.si_value.sival_int == 42);
  assert(data[1] == 1);

  const struct timespec second = {.tv_sec = 1};
  set = set_of(SIGUSR2);
  int found;
  do found = sigtimedwait(&set, &info, &second);
  while (found == -1 && errno == EAGAIN);
  assert(found == SIGUSR2 && info.si_code == SI_USER && info.si_pid == getpid());
  assert(data[2] == 1);
  return NULL;
}

int main(void) {
  sigset_t set, pending;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  sigaddset(&set, SIGRTMIN + 1);
  assert(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
  const struct timespec none = {0, 0};
  assert(sigtimedwait(&set, NULL, &none) == -1 && errno == EAGAIN);

  pthread_t thread;
  pthread_create(&thread, NULL, waits, NULL);
  data[0] = 1;
  pthread_kill(thread, SIGUSR1);
  data[1] = 1;
  assert(sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = 42}) == 0);
  data[2] = 1;
  kill(getpid(), SIGUSR2);
  pthread_join(thread, NULL);
  sigpending(&pending);
  assert(!sigismember(&pending, SIGUSR1) && !sigismember(&pending, SIGUSR2));
  raise(SIGUSR2);
  sigpending(&pending);
  assert(sigismember(&pending, SIGUSR2));
  return 0;
}
