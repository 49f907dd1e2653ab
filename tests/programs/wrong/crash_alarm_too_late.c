// A watchdog of one second, and a thread that sleeps for five: with strict time, the watchdog ends the program.
// heddle: finds crash
// heddle-mentions: SIGALRM ends the program
// heddle-runs: 10
// heddle-options: --time-model strict
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static void* work(void* unused) {
  sleep(5);
  return unused;
}

int main(void) {
  alarm(1);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
}
