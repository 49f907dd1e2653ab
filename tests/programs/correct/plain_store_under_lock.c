// A plain store to an atomic under a lock, as memset and initialisations make. A thread that takes the lock afterwards
// reads the new value, also if the model lets loads read old ones.
// heddle: clean
// heddle-options: -m pslo
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  atomic_int value;
  int is_set;
} shared;

static void* set(void* unused) {
  pthread_mutex_lock(&lock);
  memset(&shared, 1, sizeof shared);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  assert(atomic_load_explicit(&shared.value, memory_order_relaxed) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, set, NULL);
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&lock);
    const int value = atomic_load_explicit(&shared.value, memory_order_relaxed);
    assert((value != 0) == (shared.is_set != 0));
    pthread_mutex_unlock(&lock);
  }
  pthread_join(thread, NULL);
  return 0;
}
