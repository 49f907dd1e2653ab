// A thread unlocks a stream that another thread holds.
// heddle: finds misuse
// heddle-mentions: a stream is unlocked by a thread that does not hold it
#include <pthread.h>
#include <stdio.h>

static void* work(void* unused) {
  funlockfile(stdout);
  return unused;
}

int main(void) {
  pthread_t thread;
  flockfile(stdout);
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  funlockfile(stdout);
  return 0;
}
