// Store buffering under one lock: there is no cycle.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void* run(void* is_first) {
  pthread_mutex_lock(&lock);
  atomic_store_explicit(is_first ? &x : &y, 1, memory_order_relaxed);
  (void)atomic_load_explicit(is_first ? &y : &x, memory_order_relaxed);
  pthread_mutex_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, run, &x);
  pthread_create(&b, 0, run, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
