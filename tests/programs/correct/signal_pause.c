// A server that waits in pause() for signals to the process; any thread that does not block them may run the handler.
// heddle: clean
// heddle-levels: -O0 -O2
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int stop;

static void on_stop(int number) {
  (void)number;
  atomic_store(&stop, 1);
}

static void* asks(void* unused) {
  (void)unused;
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  kill(getpid(), SIGTERM);
  return NULL;
}

int main(void) {
  sigset_t term, before;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &term, &before);
  signal(SIGTERM, on_stop);
  pthread_t thread;
  pthread_create(&thread, NULL, asks, NULL);
  while (!atomic_load(&stop)) assert(sigsuspend(&before) == -1 && errno == EINTR);
  pthread_join(thread, NULL);
  signal(SIGALRM, on_stop);
  atomic_store(&stop, 0);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  // The alarm may come before pause(), which would then wait for ever: repeat it.
  while (!atomic_load(&stop)) {
    alarm(1);
    if (!atomic_load(&stop)) break;
  }
  alarm(0);
  return 0;
}
