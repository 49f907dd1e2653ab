// realloc moves a block, and a thread still uses the old address.
// heddle: finds use-after-free
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void* writes(void* block) {
  *(char*)block = 1;
  return NULL;
}

int main(void) {
  char* old = calloc(16, 1);
  char* moved = realloc(old, 100000);
  pthread_t thread;
  pthread_create(&thread, NULL, writes, old);
  pthread_join(thread, NULL);
  moved[50000] = 2;
  printf("%d\n", moved[0] + moved[50000]);
  free(moved);
  return 0;
}
