// Two threads write to two locations so often that a trace cannot hold all accesses.
#include <pthread.h>
#include <stdatomic.h>

enum { times = 60000 };
static atomic_int x, y;

static void* run(void* unused) {
  for (int i = 0; i < times; ++i) {
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
  }
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, run, 0);
  pthread_create(&b, 0, run, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
