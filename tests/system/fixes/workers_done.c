// Workers write results into an array and count themselves with relaxed additions.
#include <pthread.h>
#include <stdatomic.h>

static int results[3];
static atomic_int done;

static void* work(void* place) {
  *(int*)place = 1;
  atomic_fetch_add_explicit(&done, 1, memory_order_relaxed);  // wrong
  return 0;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], 0, work, &results[i]);
  while (atomic_load_explicit(&done, memory_order_acquire) != 3) {
  }
  int sum = 0;
  for (int i = 0; i < 3; ++i) sum += results[i];
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
  return sum != 3;
}
