// A long computation on plain memory, without a visible operation, beside another thread. It is preempted, and that
// changes no result.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int table[64];
static atomic_int x;

static void* compute(void* unused) {
  for (int round = 0; round < 2000; round++)
    for (int i = 0; i < 64; i++) table[i] += i;
  atomic_store_explicit(&x, table[63], memory_order_relaxed);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, compute, 0);
  const int seen = atomic_load_explicit(&x, memory_order_relaxed);
  assert(seen == 0 || seen == 126000);
  pthread_join(thread, 0);
  return table[1] != 2000;
}
