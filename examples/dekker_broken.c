// Dekker's entry protocol without fences: both threads may miss the other's flag and enter together.
// Heddle says: a data race on `in_the_room`. Release and acquire do not keep a load behind an earlier store.
// heddle: finds race
// heddle-mentions: in_the_room
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int wants[2];
static int in_the_room;

static void* visit(void* argument) {
  const int me = *(const int*)argument;
  atomic_store_explicit(&wants[me], 1, memory_order_release);
  if (atomic_load_explicit(&wants[1 - me], memory_order_acquire) == 0) {
    in_the_room++;  // meant to be for one thread only
  }
  return NULL;
}

int main(void) {
  static const int names[2] = {0, 1};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, visit, (void*)&names[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
