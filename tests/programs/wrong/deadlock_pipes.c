// heddle: finds deadlock
// heddle-runs: 200
// heddle-levels: -O0 -O2
// heddle-mentions: waits for pipe (descriptors
// Two threads read before they write: each waits for the byte that the other one would send.
#include <pthread.h>
#include <unistd.h>

static int there[2], back[2];

static void* answer(void* unused) {
  (void)unused;
  char byte;
  if (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1) return unused;
  return 0;
}

int main(void) {
  if (pipe(there) != 0 || pipe(back) != 0) return 1;
  pthread_t thread;
  pthread_create(&thread, 0, answer, 0);
  char byte = 0;
  if (read(back[0], &byte, 1) != 1 || write(there[1], &byte, 1) != 1) return 1;
  pthread_join(thread, 0);
  return 0;
}
