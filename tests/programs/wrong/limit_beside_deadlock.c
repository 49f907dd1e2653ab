// Two threads have deadlocked, while main polls a clock until both are done. The execution never ends; the report names
// the threads that wait for each other.
// heddle: finds limit
// heddle-also: lock-order
// heddle-runs: 200
// heddle-options: -s random --max-events 5000
// heddle-mentions: waits for mutex `first`, which T0.2 holds
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done;

static void* lock_in_order(void* nothing) {
  pthread_mutex_lock(&second);
  pthread_mutex_lock(&first);
  pthread_mutex_unlock(&first);
  pthread_mutex_unlock(&second);
  atomic_fetch_add(&done, 1);
  return nothing;
}

static void* lock_in_reverse(void* nothing) {
  pthread_mutex_lock(&first);
  pthread_mutex_lock(&second);
  pthread_mutex_unlock(&second);
  pthread_mutex_unlock(&first);
  atomic_fetch_add(&done, 1);
  return nothing;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, lock_in_order, NULL);
  pthread_create(&b, NULL, lock_in_reverse, NULL);
  while (atomic_load(&done) != 2) usleep(1000);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
