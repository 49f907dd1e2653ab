// A block is freed, and afterwards, well ordered, a thread reads it.
// heddle: finds use-after-free
// heddle-mentions: reads
#include <pthread.h>
#include <stdlib.h>

static void* reads(void* block) { return ((int*)block)[1] == 7 ? block : NULL; }

int main(void) {
  int* block = calloc(4, sizeof *block);
  free(block);
  pthread_t thread;
  pthread_create(&thread, NULL, reads, block);
  pthread_join(thread, NULL);
  return 0;
}
