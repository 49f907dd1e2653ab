// A block is freed while another thread may be reading it.
// heddle: finds race|use-after-free
// heddle-also: race, use-after-free
#include <pthread.h>
#include <stdlib.h>

static void* reads(void* block) { return *(int*)block == 7 ? block : NULL; }

int main(void) {
  int* block = malloc(sizeof *block);
  *block = 1;
  pthread_t thread;
  pthread_create(&thread, NULL, reads, block);
  free(block);
  pthread_join(thread, NULL);
  return 0;
}
