// The handler runs on the thread that was told to: beside the other thread, it is a race.
// heddle: finds race
// heddle-mentions: on_signal
// heddle-levels: -O0 -O2
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static int counter;

static void on_signal(int number) {
  (void)number;
  ++counter;
}

static void* work(void* unused) {
  (void)unused;
  return NULL;
}

int main(void) {
  signal(SIGUSR1, on_signal);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_kill(thread, SIGUSR1);
  ++counter;
  pthread_join(thread, NULL);
  return 0;
}
