// A block is read after it was freed, by the one thread that is left when all others have been joined.
// heddle: finds use-after-free
// heddle-mentions: sum
#include <pthread.h>
#include <stdlib.h>

static int* block;

static void* fills(void* unused) {
  for (int i = 0; i < 4; ++i) block[i] = i;
  return unused;
}

static int sum(void) { return block[0] + block[3]; }

int main(void) {
  block = malloc(4 * sizeof *block);
  pthread_t thread;
  pthread_create(&thread, NULL, fills, NULL);
  pthread_join(thread, NULL);
  free(block);
  return sum() == 3 ? 0 : 1;
}
