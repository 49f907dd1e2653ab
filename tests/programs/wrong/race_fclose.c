// A thread closes a stream that another thread prints to. Streams have locks, but not after they are closed.
// heddle: finds race
// heddle-mentions: fclose
#include <pthread.h>
#include <stdio.h>

static FILE* file;

static void* print(void* unused) {
  fputs("printed", file);
  return unused;
}

int main(void) {
  file = fopen("/dev/null", "w");
  pthread_t thread;
  pthread_create(&thread, NULL, print, NULL);
  fclose(file);
  pthread_join(thread, NULL);
  return 0;
}
