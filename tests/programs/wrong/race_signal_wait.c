// sigwait returns after the sender's work before the signal, not after its work behind it.
// heddle: finds race
// heddle-mentions: behind
// heddle-levels: -O0 -O2
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static int before, behind;

static void* waits(void* set) {
  int number;
  sigwait(set, &number);
  return (void*)(size_t)(before + behind);
}

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, waits, &set);
  before = 1;
  pthread_kill(thread, SIGUSR1);
  behind = 1;
  pthread_join(thread, NULL);
  return 0;
}
