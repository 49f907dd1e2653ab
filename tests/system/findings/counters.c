// Two racy counters. The increments of one variable are one bug, in several variants.
#include <pthread.h>
#include <stddef.h>

int first, second;

static void count_first(void) { ++first; }
static void count_second(void) { ++second; }

static void* work(void* unused) {
  (void)unused;
  count_first();
  count_second();
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  count_first();
  count_second();
  pthread_join(thread, NULL);
  return 0;
}
