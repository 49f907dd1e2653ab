// On x86 a signal to a condition variable for which no thread waits is a plain load, no barrier.
// heddle: finds assert
// heddle-options: -m tso -s random
// heddle-levels: -O0 -O2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int x, y;
static int seen_y, seen_x;

static void* first(void* unused) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  pthread_cond_signal(&changed);
  seen_y = atomic_load_explicit(&y, memory_order_relaxed);
  return unused;
}

static void* second(void* unused) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  pthread_cond_broadcast(&changed);
  seen_x = atomic_load_explicit(&x, memory_order_relaxed);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  assert(seen_x == 1 || seen_y == 1);
}
