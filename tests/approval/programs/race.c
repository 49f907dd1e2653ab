// Two threads increment a counter without a lock.
#include <pthread.h>
#include <stdio.h>

static int counter;

static void* increment(void* unused) {
  ++counter;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, increment, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  printf("counter: %d\n", counter);
  return 0;
}
