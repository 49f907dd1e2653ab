// heddle: clean
// heddle-runs: 100
// A write to a pipe or socket without a reader: EPIPE if SIGPIPE is ignored or handled.
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

static volatile sig_atomic_t handled;
static void handle(int number) {
  (void)number;
  handled = handled + 1;
}

int main(void) {
  int ends[2];
  signal(SIGPIPE, SIG_IGN);
  assert(pipe(ends) == 0);
  close(ends[0]);
  assert(write(ends[1], "x", 1) == -1 && errno == EPIPE);
  signal(SIGPIPE, handle);
  assert(write(ends[1], "x", 1) == -1 && errno == EPIPE);
  assert(handled == 1);
  close(ends[1]);
  signal(SIGPIPE, SIG_DFL);
  assert(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  close(ends[0]);
  assert(send(ends[1], "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
  return 0;
}
