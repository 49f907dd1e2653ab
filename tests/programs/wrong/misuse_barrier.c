// A barrier is used without being initialised, and one is destroyed while a thread waits at it.
// heddle: finds misuse
// heddle-also: race, deadlock
// heddle-mentions: a barrier is used without being initialised
// heddle-mentions: a barrier is destroyed while it is in use
#include <pthread.h>
#include <stdatomic.h>

static pthread_barrier_t forgotten, barrier;
static atomic_int arrives;

static void* waits(void* unused) {
  atomic_store(&arrives, 1);
  pthread_barrier_wait(&barrier);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_barrier_wait(&forgotten);
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, waits, NULL);
  while (atomic_load(&arrives) == 0) continue;
  pthread_barrier_destroy(&barrier);
  pthread_barrier_wait(&barrier);
  pthread_join(thread, NULL);
  return 0;
}
