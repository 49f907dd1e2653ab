// Calls on a pipe, in every order. Each writer writes a byte. The reader "waits" for all of them, one at a time;
// "looks" once with poll() whether there is one; "tries" once to read, without waiting; or has "patience" for 10 ms.
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int ends[2];
static int data[4];

static void* writer(void* argument) {
  const int which = (int)(size_t)argument;
  data[which] = 1;
  const char byte = (char)which;
  assert(write(ends[1], &byte, 1) == 1);
  return 0;
}

int main(int argc, char** argv) {
  assert(argc > 2);
  const char* what = argv[1];
  const size_t writers = (size_t)atoi(argv[2]);
  assert(pipe2(ends, strcmp(what, "tries") == 0 ? O_NONBLOCK : 0) == 0);
  pthread_t threads[4];
  for (size_t i = 0; i < writers; ++i) pthread_create(&threads[i], 0, writer, (void*)i);
  char byte;
  struct pollfd file = {.fd = ends[0], .events = POLLIN};
  int is_there = 1;
  if (strcmp(what, "waits") == 0)
    for (size_t i = 0; i < writers; ++i) {
      assert(read(ends[0], &byte, 1) == 1);
      assert(data[(int)byte] == 1);
    }
  if (strcmp(what, "looks") == 0) is_there = poll(&file, 1, 0) == 1;
  if (strcmp(what, "patience") == 0) is_there = poll(&file, 1, 10) == 1;
  if (strcmp(what, "tries") == 0) is_there = read(ends[0], &byte, 1) == 1;
#ifdef EXPECTS_DATA
  assert(is_there);
#endif
  (void)is_there;
  for (size_t i = 0; i < writers; ++i) pthread_join(threads[i], 0);
  return 0;
}
