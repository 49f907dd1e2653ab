// volatile is no synchronisation: the flag itself races, and so does what it announces.
// heddle: finds race
// heddle-mentions: ready
#include <pthread.h>
#include <stdio.h>

static volatile int ready;
static int payload;

static void* announces(void* unused) {
  payload = 1;
  ready = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, announces, NULL);
  int seen = 0;
  if (ready) seen = payload;
  pthread_join(thread, NULL);
  printf("%d\n", seen);
  return 0;
}
