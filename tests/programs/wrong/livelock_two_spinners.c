// Two threads spin, each until the other has moved.
// heddle: finds livelock
// heddle-runs: 100
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int moved[2];

static void* after_you(void* mine) {
  const int me = (int)((atomic_int*)mine - moved);
  while (atomic_load_explicit(&moved[1 - me], memory_order_acquire) == 0) {
  }
  atomic_store_explicit(&moved[me], 1, memory_order_release);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, after_you, &moved[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
