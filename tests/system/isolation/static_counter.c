// The same counter as a variable: reset isolation brings it back.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int counter;

static void* add(void* unused) {
  atomic_fetch_add(&counter, 1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, add, NULL);
  pthread_join(thread, NULL);
  assert(atomic_load(&counter) == 1);
  return 0;
}
