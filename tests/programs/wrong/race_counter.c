// Two threads increment a plain counter.
// heddle: finds race
// heddle-mentions: hits
#include <pthread.h>
#include <stdio.h>

static int hits;

static void* work(void* unused) {
  hits++;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("%d\n", hits);
  return 0;
}
