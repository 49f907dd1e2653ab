// Fifty threads at once.
// heddle: clean
// heddle-runs: 200
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { count = 50 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int plain;
static atomic_int relaxed;

static void* work(void* unused) {
  (void)unused;
  atomic_fetch_add_explicit(&relaxed, 1, memory_order_relaxed);
  pthread_mutex_lock(&mutex);
  plain++;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t threads[count];
  for (int i = 0; i < count; i++) assert(pthread_create(&threads[i], NULL, work, NULL) == 0);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
  assert(plain == count && relaxed == count);
  return 0;
}
