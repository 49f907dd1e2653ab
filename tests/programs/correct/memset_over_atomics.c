// memset and memcpy over a struct with atomics in it, at times when no other thread accesses it.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

struct Counters {
  atomic_int hits;
  atomic_short misses;
  int plain;
};

static struct Counters counters;

static void* work(void* unused) {
  (void)unused;
  atomic_fetch_add_explicit(&counters.hits, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&counters.misses, 2, memory_order_relaxed);
  return NULL;
}

int main(void) {
  for (int round = 0; round < 2; round++) {
    memset(&counters, 0, sizeof counters);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    struct Counters copy;
    memcpy((void*)&copy, (void*)&counters, sizeof copy);
    assert(atomic_load(&copy.hits) == 2 && atomic_load(&copy.misses) == 4);
  }
  return 0;
}
