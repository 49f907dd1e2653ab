// Message passing through relaxed accesses and a pair of fences.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int payload;
static atomic_int ready;

static void* producer(void* unused) {
  (void)unused;
  payload = 1;
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&ready, 1, memory_order_relaxed);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, producer, NULL);
  for (int i = 0; i < 3; i++) {
    if (atomic_load_explicit(&ready, memory_order_relaxed) == 1) {
      atomic_thread_fence(memory_order_acquire);
      assert(payload == 1);
      break;
    }
  }
  pthread_join(thread, NULL);
  return 0;
}
