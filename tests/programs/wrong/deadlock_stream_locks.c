// Two threads lock two streams in opposite orders. The search meets the deadlock, too.
// heddle: finds deadlock
// heddle-options: -s exhaustive
#include <pthread.h>
#include <stdio.h>

static int count;

static void* work(void* is_first) {
  FILE* const outer = is_first ? stdout : stderr;
  FILE* const inner = is_first ? stderr : stdout;
  flockfile(outer);
  flockfile(inner);
  ++count;
  funlockfile(inner);
  funlockfile(outer);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, work, NULL);
  pthread_create(&threads[1], NULL, work, &count);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
