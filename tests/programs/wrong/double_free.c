// Two threads see that they should clean up, and both do.
// heddle: finds double-free
// heddle-also: race, use-after-free
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static _Atomic(void*) block;

static void* clean_up(void* unused) {
  void* mine = atomic_load(&block);
  if (mine != NULL) {
    atomic_store(&block, NULL);
    free(mine);
  }
  return unused;
}

int main(void) {
  block = malloc(16);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, clean_up, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
