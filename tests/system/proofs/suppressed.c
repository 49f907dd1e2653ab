// Which value the reader takes depends on the order of the two accesses. If the race is suppressed, the assertion is
// what is left to find.
#include <assert.h>
#include <pthread.h>

static int published;

static void* writer(void* argument) {
  published = 7;
  return argument;
}

static void* reader(void* argument) {
  assert(published == 7);
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
