// On x86 an unlock of a spinlock is a plain store, no barrier: a store before it may reach memory after a later load.
// So each thread may miss what the other one stored inside its critical section.
// heddle: finds assert
// heddle-options: -m tso -s random
// heddle-levels: -O0 -O2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_spinlock_t a, b;
static atomic_int x, y;
static int seen_y, seen_x;

static void* first(void* unused) {
  pthread_spin_lock(&a);
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  pthread_spin_unlock(&a);
  seen_y = atomic_load_explicit(&y, memory_order_relaxed);
  return unused;
}

static void* second(void* unused) {
  pthread_spin_lock(&b);
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  pthread_spin_unlock(&b);
  seen_x = atomic_load_explicit(&x, memory_order_relaxed);
  return unused;
}

int main(void) {
  pthread_spin_init(&a, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_init(&b, PTHREAD_PROCESS_PRIVATE);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  assert(seen_x == 1 || seen_y == 1);
}
