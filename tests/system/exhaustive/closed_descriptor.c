// Two calls that do not wait, and the close of their descriptor, in every order.
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);

static void* closer(void* nothing) {
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);  // the orders are what is tested, not the race
  close(ends[1]);
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  return nothing;
}

static void* looker(void* nothing) {
  struct pollfd asked = {ends[1], POLLOUT, 0};
  assert(poll(&asked, 1, -1) == 1);
  return nothing;
}

int main(void) {
  assert(pipe(ends) == 0);
  pthread_t closing, looking;
  pthread_create(&closing, 0, closer, 0);
  pthread_create(&looking, 0, looker, 0);
  const ssize_t written = write(ends[1], "x", 1);
  assert(written == 1 || (written == -1 && errno == EBADF));
  pthread_join(closing, 0);
  pthread_join(looking, 0);
  return 0;
}
