// A loop that reads the same unchanging atomic fifty times and then ends: it is no livelock.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int never_set, finished;

static void* patient(void* unused) {
  (void)unused;
  for (int i = 0; i < 50; i++) {
    if (atomic_load_explicit(&never_set, memory_order_relaxed) != 0) return NULL;
  }
  atomic_fetch_add(&finished, 1);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, patient, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  assert(finished == 2);
  return 0;
}
