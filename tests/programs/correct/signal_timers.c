// alarm, setitimer and timer_create with each kind of notification, in virtual time.
// heddle: clean
// heddle-levels: -O0 -O2
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static atomic_int alarms, profiles, timers;
static int data;
static sem_t called;

static void on_alarm(int number) { atomic_fetch_add(number == SIGALRM ? &alarms : &profiles, 1); }

static void on_timer(int number, siginfo_t* info, void* context) {
  (void)number, (void)context;
  assert(info->si_code == SI_TIMER && info->si_value.sival_int == 7);
  atomic_fetch_add(&timers, 1);
}

static void on_expiry(union sigval value) {
  assert(value.sival_int == 8 && data == 1);
  sem_post(&called);
}

int main(void) {
  signal(SIGALRM, on_alarm);
  signal(SIGPROF, on_alarm);
  assert(alarm(10) == 0);
  assert(alarm(0) <= 10);
  alarm(1);
  while (atomic_load(&alarms) == 0) {
  }
  alarm(0);

  const struct itimerval often = {.it_interval = {.tv_usec = 500}, .it_value = {.tv_usec = 500}};
  const struct itimerval none = {{0, 0}, {0, 0}};
  struct itimerval left;
  setitimer(ITIMER_PROF, &often, NULL);
  while (atomic_load(&profiles) < 3) {
  }
  setitimer(ITIMER_PROF, &none, &left);
  assert(left.it_interval.tv_usec == 500);
  getitimer(ITIMER_PROF, &left);
  assert(left.it_value.tv_sec == 0 && left.it_value.tv_usec == 0);

  struct sigaction action = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO};
  sigaction(SIGRTMIN, &action, NULL);
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGRTMIN;
  event.sigev_value.sival_int = 7;
  timer_t timer;
  assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  const struct itimerspec periodic = {.it_interval = {.tv_nsec = 1000}, .it_value = {.tv_sec = 1}};
  struct itimerspec rest;
  assert(timer_settime(timer, 0, &periodic, NULL) == 0);
  while (atomic_load(&timers) < 2) usleep(100);
  assert(timer_gettime(timer, &rest) == 0 && rest.it_interval.tv_nsec == 1000);
  assert(timer_getoverrun(timer) >= 0);
  assert(timer_delete(timer) == 0);
  assert(timer_delete(timer) == -1);

  sem_init(&called, 0, 0);
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = on_expiry;
  event.sigev_value.sival_int = 8;
  assert(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
  data = 1;
  const struct itimerspec once = {.it_value = {.tv_sec = 5}};
  timer_settime(timer, 0, &once, NULL);
  while (sem_wait(&called) != 0) {
  }
  timer_delete(timer);

  event.sigev_notify = SIGEV_NONE;
  assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  timer_settime(timer, 0, &once, NULL);
  do timer_gettime(timer, &rest);
  while (rest.it_value.tv_sec != 0 || rest.it_value.tv_nsec != 0);
  return 0;
}
