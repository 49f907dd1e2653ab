// Reads of one location never go back in its modification order, however relaxed they are.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x;

static void* writer(void* unused) {
  (void)unused;
  for (int i = 1; i <= 4; i++) atomic_store_explicit(&x, i, memory_order_relaxed);
  return NULL;
}

static void* reader(void* unused) {
  (void)unused;
  int last = 0;
  for (int i = 0; i < 5; i++) {
    const int now = atomic_load_explicit(&x, memory_order_relaxed);
    assert(now >= last);
    last = now;
  }
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, writer, NULL);
  pthread_create(&threads[1], NULL, reader, NULL);
  pthread_create(&threads[2], NULL, reader, NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  assert(atomic_load_explicit(&x, memory_order_relaxed) == 4);
  return 0;
}
