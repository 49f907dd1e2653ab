// Two threads with loops over a volatile bound, and atomic operations before, in and after the loops.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static volatile int bound = 70;
static atomic_int x, y;
static int results[2];

static int count(void) {
  int steps = 0;
  while (steps < bound) ++steps;
  return steps;
}
static void* first(void* unused) {
  assert(count() == 70);
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  assert(count() == 70);
  results[0] = atomic_load_explicit(&y, memory_order_relaxed);
  return unused;
}
static void* second(void* unused) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  assert(count() == 70);
  results[1] = atomic_load_explicit(&x, memory_order_relaxed);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, first, 0);
  pthread_create(&threads[1], 0, second, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  return results[0] + results[1] > 2;
}
