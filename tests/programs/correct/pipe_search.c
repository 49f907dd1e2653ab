// heddle: clean
// heddle-options: -s exhaustive
// The search knows pipes: two writers and a reader that waits have four orders of their calls.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int data[2];

static void* writer(void* argument) {
  const int which = (int)(size_t)argument;
  data[which] = 1;
  const char byte = (char)which;
  assert(write(ends[1], &byte, 1) == 1);
  return 0;
}

int main(void) {
  assert(pipe(ends) == 0);
  pthread_t threads[2];
  for (size_t i = 0; i < 2; ++i) pthread_create(&threads[i], 0, writer, (void*)i);
  for (int i = 0; i < 2; ++i) {
    char byte;
    assert(read(ends[0], &byte, 1) == 1);
    assert(data[(int)byte] == 1);
  }
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return 0;
}
