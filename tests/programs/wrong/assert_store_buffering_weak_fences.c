// Acquire-release fences between a store and a load keep neither behind the other: that takes seq_cst.
// heddle: finds assert
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x, y;
static int seen_y;

static void* left(void* unused) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_acq_rel);
  seen_y = atomic_load_explicit(&y, memory_order_relaxed);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, left, NULL);
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  atomic_thread_fence(memory_order_acq_rel);
  const int seen_x = atomic_load_explicit(&x, memory_order_relaxed);
  pthread_join(thread, NULL);
  assert(seen_x + seen_y > 0);
  return 0;
}
