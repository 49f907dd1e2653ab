// Fails at once, for a trace to play with.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static void* work(void* unused) {
  assert(1 == 2);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
