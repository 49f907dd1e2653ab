// A detached thread, through pthread_detach and through its attributes, synchronises by an atomic.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int done;
static int results[2];

static void* work(void* argument) {
  int* result = argument;
  *result = 7;
  atomic_fetch_add_explicit(&done, 1, memory_order_release);
  return NULL;
}

int main(void) {
  pthread_t thread;
  assert(pthread_create(&thread, NULL, work, &results[0]) == 0);
  assert(pthread_detach(thread) == 0);

  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  assert(pthread_create(&thread, &attributes, work, &results[1]) == 0);
  pthread_attr_destroy(&attributes);

  while (atomic_load_explicit(&done, memory_order_acquire) != 2) sched_yield();
  assert(results[0] == 7 && results[1] == 7);
  return 0;
}
