// heddle: clean
// heddle-runs: 300
// heddle-levels: -O0 -O2
// signalfd: a thread reads signals that another thread sends, directly and through poll.
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int file;
static int data;

static void* read_signals(void* unused) {
  struct signalfd_siginfo info[2];
  assert(read(file, info, sizeof info[0]) == sizeof info[0] && info[0].ssi_signo == SIGUSR1);
  assert(data == 1);
  struct pollfd polled = {file, POLLIN, 0};
  assert(poll(&polled, 1, -1) == 1);
  assert(read(file, info, sizeof info) == sizeof info[0] && info[0].ssi_signo == SIGUSR2);
  return unused;
}

int main(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, 0);
  file = signalfd(-1, &set, SFD_CLOEXEC);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, 0);
  assert(signalfd(file, &set, 0) == file);
  pthread_t thread;
  pthread_create(&thread, 0, read_signals, 0);
  data = 1;
  kill(getpid(), SIGUSR1);
  kill(getpid(), SIGUSR2);
  pthread_join(thread, 0);
  const int other = signalfd(-1, &set, SFD_NONBLOCK);
  struct signalfd_siginfo info;
  assert(read(other, &info, sizeof info) == -1 && errno == EAGAIN);
  return 0;
}
