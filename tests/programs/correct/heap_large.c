// Large and aligned allocations, from several threads.
// heddle: clean
// heddle-runs: 20
#include <assert.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static void* work(void* unused) {
  (void)unused;
  const size_t size = 4u << 20;
  char* large = malloc(size);
  assert(large != NULL && malloc_usable_size(large) >= size);
  large[0] = large[size / 2] = large[size - 1] = 1;
  large = realloc(large, 2 * size);
  assert(large[0] == 1 && large[size - 1] == 1);
  free(large);

  void* aligned = aligned_alloc(4096, 8192);
  assert((uintptr_t)aligned % 4096 == 0);
  free(aligned);
  void* posix = NULL;
  assert(posix_memalign(&posix, 256, 100) == 0 && (uintptr_t)posix % 256 == 0);
  free(posix);
  free(NULL);
  void* empty = malloc(0);
  free(empty);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
