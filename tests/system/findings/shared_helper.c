// Two mistakes that have a helper function in common: the two counters have nothing to do with each other.
#include <pthread.h>
#include <stddef.h>

static int visitors, errors;

__attribute__((always_inline)) static inline void increment(int* counter) { ++*counter; }

static void* visit(void* unused) {
  increment(&visitors);
  return unused;
}

static void* fail(void* unused) {
  increment(&errors);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, visit, NULL);
  pthread_create(&threads[1], NULL, fail, NULL);
  increment(&visitors);
  increment(&errors);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
