// heddle: clean
// heddle-runs: 200
// heddle-levels: -O0 -O2
// timerfd in virtual time: once, periodic, absolute, disarmed, and read by a thread that waits.
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int timer;
static int fired;

static void* wait_for_timer(void* unused) {
  (void)unused;
  uint64_t count;
  assert(read(timer, &count, sizeof count) == sizeof count && count >= 1);
  fired = 1;
  return 0;
}

int main(void) {
  timer = timerfd_create(CLOCK_MONOTONIC, 0);
  struct itimerspec setting = {{0, 0}, {3600, 0}}, left;
  pthread_t thread;
  assert(timerfd_settime(timer, 0, &setting, 0) == 0);
  assert(timerfd_gettime(timer, &left) == 0 && left.it_value.tv_sec >= 3599);
  pthread_create(&thread, 0, wait_for_timer, 0);
  pthread_join(thread, 0);
  assert(fired);
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  setting = (struct itimerspec){{10, 0}, {now.tv_sec + 5, 0}};
  assert(timerfd_settime(timer, TFD_TIMER_ABSTIME, &setting, 0) == 0);
  const struct timespec pause = {28, 0};
  nanosleep(&pause, 0);
  uint64_t count;
  assert(read(timer, &count, sizeof count) == sizeof count && count >= 3); /* after 5, 15 and 25 seconds */
  setting = (struct itimerspec){{0, 0}, {0, 0}};
  assert(timerfd_settime(timer, 0, &setting, &left) == 0 && left.it_interval.tv_sec == 10);
  close(timer);
  timer = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK);
  assert(read(timer, &count, sizeof count) == -1 && errno == EAGAIN);
  return 0;
}
