// pthread_kill, tgkill and pthread_sigqueue: the handler runs on the thread that the signal was sent to, and after
// everything that the sender did before.
// heddle: clean
// heddle-levels: -O0 -O2
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_t worker;
static int data;
static atomic_int handled, receiver;

static void on_signal(int number, siginfo_t* info, void* context) {
  (void)context;
  assert(pthread_equal(pthread_self(), worker));
  assert(number == info->si_signo);
  if (number == SIGUSR1) assert(info->si_code == SI_TKILL && data == 1);
  if (number == SIGRTMIN) assert(info->si_code == SI_QUEUE && info->si_value.sival_int == 17);
  atomic_fetch_add(&handled, 1);
}

static void* work(void* unused) {
  (void)unused;
  worker = pthread_self();
  atomic_store(&receiver, (int)syscall(SYS_gettid));
  while (atomic_load(&handled) != 3) {
  }
  return NULL;
}

int main(void) {
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGUSR2, &action, NULL);
  sigaction(SIGRTMIN, &action, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  while (atomic_load(&receiver) == 0) {
  }
  data = 1;
  assert(pthread_kill(thread, 0) == 0);
  assert(pthread_kill(thread, SIGUSR1) == 0);
  assert(syscall(SYS_tgkill, getpid(), atomic_load(&receiver), SIGUSR2) == 0);
  assert(pthread_sigqueue(thread, SIGRTMIN, (union sigval){.sival_int = 17}) == 0);
  pthread_join(thread, NULL);
  assert(atomic_load(&handled) == 3);
  return 0;
}
