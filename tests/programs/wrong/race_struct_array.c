// Each worker fills its own element and hands over in turn, but the second acquires nothing, so the reader knows only
// the second element. The line that reads runs for both.
// heddle: finds race
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct Result {
  long key;
  long value;
};

static struct Result* results;
static atomic_long turn;
int workers = 2;

static void* fills(void* number) {
  const long own = (long)number;
  results[own].value = own + 1;
  while (atomic_load_explicit(&turn, memory_order_relaxed) != own) continue;
  atomic_store_explicit(&turn, own + 1, memory_order_release);
  return NULL;
}

static void* sums(void* unused) {
  long sum = 0;
  const struct Result* const all = results;
  const int count = workers;
  if (atomic_load_explicit(&turn, memory_order_acquire) == 2)
    for (int i = 0; i < count; ++i) sum += all[i].value;
  return sum == 0 ? unused : NULL;
}

int main(void) {
  pthread_t threads[3];
  results = malloc(2 * sizeof *results);
  pthread_create(&threads[0], NULL, fills, (void*)0);
  pthread_create(&threads[1], NULL, fills, (void*)1);
  pthread_create(&threads[2], NULL, sums, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  free(results);
  return 0;
}
