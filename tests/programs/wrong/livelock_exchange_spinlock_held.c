// The same with a lock that spins on exchange alone: every attempt writes, and none changes anything.
// heddle: finds livelock|limit
// heddle-runs: 20
// heddle-options: --max-events 20000
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_flag taken = ATOMIC_FLAG_INIT;

static void* work(void* unused) {
  for (int i = 0; i < 2; i++) {
    while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire)) {
    }
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
