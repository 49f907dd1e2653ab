// Two threads call step(). HEDDLE_STEP is how, so that the same file serves the C functions and the templates.
#include <pthread.h>

static void* first(void* argument) {
  HEDDLE_STEP(0);
  return argument;
}

static void* second(void* argument) {
  HEDDLE_STEP(1);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, first, 0);
  pthread_create(&threads[1], 0, second, 0);
  pthread_join(threads[0], 0);
  pthread_join(threads[1], 0);
  return 0;
}
