// With --exit-status any, no status is a finding.
// heddle: clean
// heddle-options: --exit-status any
#include <pthread.h>
#include <stdlib.h>

static void* leaves(void* unused) {
  (void)unused;
  exit(2);
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, leaves, NULL);
  return 1;
}
