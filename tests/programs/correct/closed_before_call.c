// heddle: clean
// heddle-runs: 300
// A thread closes a descriptor while another is about to make a call on it that does not wait: the call is made before,
// or finds the number closed, or finds the next file that has the number. None of these waits.
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <unistd.h>

void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);

static int ends[2];
static int closed_end;

static void* closer(void* nothing) {
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  close(ends[closed_end]);
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  return nothing;
}

/// The number of the closed descriptor gets another file, which is ready, too.
static void* replacer(void* nothing) {
  const int counter = eventfd(1, 0);
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  assert(dup2(counter, ends[closed_end]) == ends[closed_end]);
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  close(counter);
  return nothing;
}

/// The new file has nothing to read until a byte is written to it.
static void* emptier(void* nothing) {
  int fresh[2];
  assert(pipe(fresh) == 0);
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  assert(dup2(fresh[0], ends[closed_end]) == ends[closed_end]);
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  assert(write(fresh[1], "n", 1) == 1);
  close(fresh[0]);
  close(fresh[1]);
  return nothing;
}

static pthread_t begin(int end, void* (*routine)(void*)) {
  closed_end = end;
  pthread_t thread;
  pthread_create(&thread, 0, routine, 0);
  return thread;
}

static void finish(pthread_t thread) {
  pthread_join(thread, 0);
  close(ends[0]);
  close(ends[1]);
}

static void check_write(void* (*routine)(void*)) {
  assert(pipe(ends) == 0);
  const pthread_t thread = begin(1, routine);
  const unsigned long one = 1;
  const ssize_t written = write(ends[1], &one, sizeof one);
  assert(written == sizeof one || (written == -1 && errno == EBADF));
  finish(thread);
}

static void check_read(void* (*routine)(void*)) {
  assert(pipe(ends) == 0);
  assert(write(ends[1], "12345678", 8) == 8);
  const pthread_t thread = begin(0, routine);
  char bytes[8];
  const ssize_t got = read(ends[0], bytes, sizeof bytes);
  assert(got == 8 || (got == 1 && bytes[0] == 'n') || (got == -1 && errno == EBADF));
  finish(thread);
}

static void check_poll(void* (*routine)(void*)) {
  assert(pipe(ends) == 0);
  assert(write(ends[1], "x", 1) == 1);
  const pthread_t thread = begin(0, routine);
  struct pollfd asked = {ends[0], POLLIN, 0};
  assert(poll(&asked, 1, -1) == 1);
  assert(asked.revents & (POLLIN | POLLNVAL));
  finish(thread);
}

static void check_select(void) {
  assert(pipe(ends) == 0);
  const pthread_t thread = begin(1, closer);
  fd_set writable;
  FD_ZERO(&writable);
  FD_SET(ends[1], &writable);
  const int ready = select(ends[1] + 1, 0, &writable, 0, 0);
  assert(ready == 1 || (ready == -1 && errno == EBADF));
  finish(thread);
}

static void check_epoll(void) {
  const int counter = eventfd(1, 0);
  ends[0] = epoll_create1(0);
  ends[1] = counter;
  struct epoll_event event = {EPOLLIN, {0}};
  assert(epoll_ctl(ends[0], EPOLL_CTL_ADD, counter, &event) == 0);
  const pthread_t thread = begin(0, closer);
  const int ready = epoll_wait(ends[0], &event, 1, -1);
  assert(ready == 1 || (ready == -1 && errno == EBADF));
  finish(thread);
}

int main(void) {
  check_write(closer);
  check_write(replacer);
  check_read(closer);
  check_read(replacer);
  check_read(emptier);
  check_poll(closer);
  check_poll(emptier);
  check_select();
  check_epoll();
  return 0;
}
