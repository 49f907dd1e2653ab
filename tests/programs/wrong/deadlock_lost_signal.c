// The handler may run between the check and pause(), which then waits for ever. sigsuspend is made for this.
// heddle: finds deadlock
// heddle-mentions: signal
// heddle-levels: -O0 -O2
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int told;

static void on_signal(int number) {
  (void)number;
  atomic_store(&told, 1);
}

static void* waits(void* unused) {
  (void)unused;
  if (!atomic_load(&told)) pause();
  return NULL;
}

int main(void) {
  signal(SIGUSR1, on_signal);
  pthread_t thread;
  pthread_create(&thread, NULL, waits, NULL);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
  return 0;
}
