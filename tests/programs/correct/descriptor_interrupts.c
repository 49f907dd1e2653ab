// heddle: clean
// heddle-runs: 300
// heddle-levels: -O0 -O2
// Calls on descriptors that wait are interrupted by signals, and are cancellation points.
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int ends[2];
static int cleaned;

static void handle(int number) { (void)number; }
static void clean_up(void* unused) {
  (void)unused;
  cleaned = 1;
}

static void* poll_until_interrupted(void* unused) {
  (void)unused;
  struct pollfd file = {ends[0], POLLIN, 0};
  sigset_t none;
  sigemptyset(&none);
  assert(ppoll(&file, 1, 0, &none) == -1 && errno == EINTR); /* also if the signal was sent before */
  return 0;
}

static void* read_for_ever(void* unused) {
  char byte;
  pthread_cleanup_push(clean_up, 0);
  if (read(ends[0], &byte, 1) == 1) return unused;
  pthread_cleanup_pop(0);
  return unused;
}

int main(void) {
  assert(pipe(ends) == 0);
  struct sigaction action = {.sa_handler = handle}; /* without SA_RESTART */
  sigaction(SIGUSR1, &action, 0);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, 0);
  pthread_t thread;
  pthread_create(&thread, 0, poll_until_interrupted, 0);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, 0);
  pthread_sigmask(SIG_UNBLOCK, &blocked, 0);

  pthread_create(&thread, 0, read_for_ever, 0);
  pthread_cancel(thread);
  void* result;
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED && cleaned <= 1);
  return 0;
}
