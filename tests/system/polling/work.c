// A thread polls a volatile flag, and works in between: it allocates, writes to memory, and counts.
#include <pthread.h>
#include <stdlib.h>

static volatile int done;
static char* newest;
static long rounds;

static void* set(void* unused) {
  done = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, set, 0);
  while (done == 0) {
    char* block = malloc(1);
    block[0] = 0;
    newest = block;
    free(block);
    ++rounds;
  }
  pthread_join(thread, 0);
  return 0;
}
