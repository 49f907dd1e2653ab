// heddle: clean
// heddle-runs: 300
// heddle-levels: -O0 -O2
// poll, ppoll, select and pselect wait for other threads, and their time-outs are virtual time.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static int quiet[2], first[2], second[2];
static int data;

static void* write_later(void* unused) {
  (void)unused;
  data = 1;
  assert(write(second[1], "x", 1) == 1);
  char byte;
  assert(read(first[0], &byte, 1) == 1);
  assert(write(second[1], "y", 1) == 1);
  return 0;
}

static long seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

int main(void) {
  assert(pipe(quiet) == 0 && pipe(first) == 0 && pipe(second) == 0);
  struct pollfd files[2] = {{quiet[0], POLLIN, 0}, {second[0], POLLIN, 0}};
  const long start = seconds_now();
  assert(poll(files, 2, 100 * 1000) == 0); /* nothing is ready: two minutes that take no time */
  const struct timespec hour = {3600, 0};
  assert(ppoll(files, 2, &hour, 0) == 0);
  assert(seconds_now() - start >= 3700);
  fd_set set;
  FD_ZERO(&set);
  FD_SET(second[0], &set);
  struct timeval minute = {60, 0};
  assert(select(second[0] + 1, &set, 0, 0, &minute) == 0 && !FD_ISSET(second[0], &set));

  pthread_t thread;
  pthread_create(&thread, 0, write_later, 0);
  assert(poll(files, 2, -1) == 1 && files[0].revents == 0 && files[1].revents == POLLIN);
  assert(data == 1); /* what the writer did before is visible */
  char byte;
  assert(read(second[0], &byte, 1) == 1 && byte == 'x');
  assert(write(first[1], "z", 1) == 1);
  FD_SET(second[0], &set);
  assert(pselect(second[0] + 1, &set, 0, 0, 0, 0) == 1 && FD_ISSET(second[0], &set));
  assert(fcntl(second[0], F_SETFL, O_NONBLOCK) == 0);
  assert(read(second[0], &byte, 1) == 1 && byte == 'y');
  assert(read(second[0], &byte, 1) == -1 && errno == EAGAIN);
  pthread_join(thread, 0);
  return 0;
}
