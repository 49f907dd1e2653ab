// A barrier separates phases, can be used again, and tells exactly one thread of each round that it is the serial one.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { count = 3 };
static pthread_barrier_t barrier;
static int slots[count];
static atomic_int serial;

static void* work(void* argument) {
  int* mine = argument;
  for (int round = 1; round <= 2; round++) {
    *mine = round;
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) atomic_fetch_add(&serial, 1);
    for (int i = 0; i < count; i++) assert(slots[i] == round);
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[count];
  pthread_barrier_init(&barrier, NULL, count);
  for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, work, &slots[i]);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
  assert(serial == 2);
  pthread_barrier_destroy(&barrier);
  return 0;
}
