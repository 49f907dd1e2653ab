// A volatile flag is no synchronisation. The loop over it must not run for ever either: the other thread sets the flag.
// heddle: finds race
// heddle-also: exit-status
// heddle-runs: 100
// heddle-mentions: `ready`
#include <pthread.h>
#include <stddef.h>

static volatile int ready;
static int answer;

static void* set(void* unused) {
  (void)unused;
  answer = 42;
  ready = 1;
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, set, NULL);
  while (!ready) {
  }
  const int result = answer == 42 ? 0 : 1;
  pthread_join(thread, NULL);
  return result;
}
