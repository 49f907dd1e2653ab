// heddle: finds deadlock
// heddle-also: descriptor-race
// A thread closes the end of a pipe to wake the thread that reads from it. On Linux a read that has begun waits on
// waiting.
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void* reader(void* nothing) {
  char byte;
  return read(ends[0], &byte, 1) == 1 ? &ends : nothing;
}

int main(void) {
  if (pipe(ends) != 0) return 2;
  pthread_t thread;
  pthread_create(&thread, 0, reader, 0);
  close(ends[0]);
  pthread_join(thread, 0);
  return 0;
}
