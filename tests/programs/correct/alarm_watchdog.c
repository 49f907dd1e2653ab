// Watchdogs that end a test that hangs: alarm, setitimer and timer_create, whose signals have the default action. This
// program does not hang, so they never expire, neither before a handler was there nor after it is gone.
// heddle: clean
// heddle-levels: -O0 -O2
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static atomic_int sum, alarms;

static void on_alarm(int number) {
  (void)number;
  atomic_fetch_add(&alarms, 1);
}

static void* work(void* unused) {
  for (int i = 0; i < 20; ++i) atomic_fetch_add(&sum, 1);
  usleep(1000);
  return unused;
}

int main(void) {
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGUSR1;
  timer_t timer;
  assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  const struct itimerspec minute = {.it_value = {.tv_sec = 60}};
  assert(timer_settime(timer, 0, &minute, NULL) == 0);
  const struct itimerval profile = {.it_value = {.tv_sec = 30}};
  setitimer(ITIMER_PROF, &profile, NULL);

  alarm(60);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  work(NULL);
  pthread_join(thread, NULL);
  assert(atomic_load(&sum) == 40);

  // The alarm is not fatal any more: it expires while the thread waits for it.
  signal(SIGALRM, on_alarm);
  while (atomic_load(&alarms) == 0) {
  }
  alarm(60);
  signal(SIGALRM, SIG_DFL);
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
