// Requests and replies that are stamped with the time. Threads that make progress see no time pass but their own: a
// reply comes long before the client's time-out, and all requests are done within a second.
// heddle: clean
// heddle-runs: 50
// heddle-options: --time-model strict
// heddle-levels: -O0 -O2
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { requests = 250, patience = 5000 };
static int ends[2];

static long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void* serve(void* unused) {
  (void)unused;
  const long begin = milliseconds();
  char byte;
  while (read(ends[1], &byte, 1) == 1) {
    assert(milliseconds() - begin < 1000);
    assert(write(ends[1], &byte, 1) == 1);
  }
  return NULL;
}

int main(void) {
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  pthread_t server;
  pthread_create(&server, NULL, serve, NULL);
  for (int i = 0; i < requests; ++i) {
    char byte = 'x';
    const long begin = milliseconds();
    assert(write(ends[0], &byte, 1) == 1);
    struct pollfd reply = {.fd = ends[0], .events = POLLIN};
    assert(poll(&reply, 1, patience) == 1);
    assert(read(ends[0], &byte, 1) == 1);
    assert(milliseconds() - begin < 1000);
  }
  shutdown(ends[0], SHUT_WR);
  pthread_join(server, NULL);
}
