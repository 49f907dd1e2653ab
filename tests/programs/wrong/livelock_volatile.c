// A volatile flag that no thread ever sets.
// heddle: finds livelock
// heddle-runs: 20
#include <pthread.h>
#include <stddef.h>

static volatile int ready;

static void* wait_for_ever(void* unused) {
  (void)unused;
  while (!ready) {
  }
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, wait_for_ever, NULL);
  pthread_join(thread, NULL);
  return 0;
}
