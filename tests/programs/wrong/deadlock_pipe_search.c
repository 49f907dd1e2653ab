// heddle: finds deadlock
// heddle-options: -s exhaustive
// heddle-runs: 1
// Only one of two readers gets the byte; the search says that the other one waits for ever.
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void* reader(void* unused) {
  char byte;
  if (read(ends[0], &byte, 1) != 1) return unused;
  return 0;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, reader, 0);
  if (write(ends[1], "x", 1) != 1) return 1;
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return 0;
}
