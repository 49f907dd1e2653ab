// A loop that reads a file byte by byte and looks at a flag in between. Its progress is in the kernel: all bytes are
// equal, so every iteration reads the same values.
// heddle: clean
// heddle-runs: 200
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int stop;
static atomic_uint beats;

static void* beat_for_ever(void* unused) {
  (void)unused;
  for (;;) {
    usleep(1000);
    atomic_store(&beats, atomic_load(&beats) + 1);
  }
  return NULL;
}

int main(void) {
  char bytes[300] = {0};
  FILE* file = tmpfile();
  assert(file != NULL);
  const int descriptor = fileno(file);
  assert(write(descriptor, bytes, sizeof bytes) == (ssize_t)sizeof bytes);
  assert(lseek(descriptor, 0, SEEK_SET) == 0);
  pthread_t thread;
  pthread_create(&thread, NULL, beat_for_ever, NULL);
  while (!atomic_load(&stop) && read(descriptor, bytes, 1) == 1) {
  }
  assert(read(descriptor, bytes, 1) == 0);
  fclose(file);
  return 0;
}
