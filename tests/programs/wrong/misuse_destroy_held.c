// A mutex is destroyed while another thread may hold it. The flag orders everything, so there is no race.
// heddle: finds misuse
// heddle-levels: -O0 -O2
// heddle-mentions: a mutex is destroyed while it is in use
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static pthread_mutex_t guard;
static atomic_int locked;

static void* holds(void* unused) {
  pthread_mutex_lock(&guard);
  atomic_store(&locked, 1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_mutex_init(&guard, NULL);
  pthread_create(&thread, NULL, holds, NULL);
  while (atomic_load(&locked) == 0) sched_yield();
  pthread_mutex_destroy(&guard);
  pthread_join(thread, NULL);
  return 0;
}
