// realloc moves a block, and a thread still uses the old address.
// heddle: finds use-after-free
#include <pthread.h>
#include <stdlib.h>

static void* writes(void* block) {
  *(char*)block = 1;
  return NULL;
}

int main(void) {
  char* old = malloc(16);
  char* moved = realloc(old, 100000);
  pthread_t thread;
  pthread_create(&thread, NULL, writes, old);
  pthread_join(thread, NULL);
  free(moved);
  return 0;
}
