// heddle: finds crash
// heddle-runs: 300
// heddle-levels: -O0 -O2
// heddle-mentions: SIGPIPE
// The reader may close the pipe before the writer has written: SIGPIPE ends the program.
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void* close_early(void* unused) {
  close(ends[0]);
  return unused;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  pthread_t thread;
  pthread_create(&thread, 0, close_early, 0);
  if (write(ends[1], "x", 1) != 1) return 1;
  pthread_join(thread, 0);
  return 0;
}
