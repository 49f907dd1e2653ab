// Store buffering with volatile variables, which old code uses in place of atomics. As relaxed atomics they do not
// race, and a store may wait in the buffer while its thread loads the other variable.
// heddle: finds assert
// heddle-options: -m tso --volatile=relaxed
// heddle-levels: -O0 -O2
#include <assert.h>
#include <pthread.h>

static volatile int x, y, seen_by_first, seen_by_second;

static void* first(void* unused) {
  x = 1;
  seen_by_first = y;
  return unused;
}

static void* second(void* unused) {
  y = 1;
  seen_by_second = x;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  assert(seen_by_first == 1 || seen_by_second == 1);
  return 0;
}
