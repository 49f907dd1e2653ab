// No interleaving fails the assertion: the flag is set before the plain write, and read after the plain read.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int value;
static atomic_int flag;

static void* writer(void* argument) {
  atomic_store(&flag, 1);
  value = 1;
  return argument;
}

static void* reader(void* argument) {
  if (value == 1) assert(atomic_load(&flag) == 1);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, writer, 0);
  pthread_create(&threads[1], 0, reader, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  return 0;
}
