// The size is known when compiling: gcc would expand the memset in place, and heddle would not see its writes.
// heddle: finds race
// heddle-mentions: buffer
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char buffer[16];

static void* clears(void* unused) {
  memset(buffer, 0, sizeof buffer);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, clears, NULL);
  buffer[3] = 1;
  pthread_join(thread, NULL);
  printf("%d\n", buffer[3]);
  return 0;
}
