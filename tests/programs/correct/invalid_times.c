// heddle: clean
// heddle-runs: 200
// Time limits that are no times, clocks that do not exist, and semaphores beyond their greatest value: the calls fail
// at once, as those of the C library and the kernel do, and change nothing.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { no_clock = 99 };
static const struct timespec too_large = {0, 1000000000}, negative = {0, -1}, before_1970 = {-1, 0};
static const struct timespec later = {2000000000, 0};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

#define FAILS_WITH(error, call) assert((errno = 0, (call) == -1 && errno == (error)))

static void* meet_held_locks(void* nothing) {
  assert(pthread_mutex_timedlock(&mutex, &too_large) == EINVAL);
  assert(pthread_mutex_timedlock(&mutex, &negative) == EINVAL);
  assert(pthread_mutex_timedlock(&mutex, &before_1970) == ETIMEDOUT);
  assert(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &too_large) == EINVAL);
  assert(mtx_timedlock((mtx_t*)&mutex, &too_large) == thrd_error);
  return nothing;
}

static void check_locks(void) {
  // Only a thread that has to wait for the mutex looks at the time.
  assert(pthread_mutex_timedlock(&mutex, &too_large) == 0);
  pthread_t thread;
  pthread_create(&thread, 0, meet_held_locks, 0);
  pthread_join(thread, 0);
  assert(pthread_mutex_unlock(&mutex) == 0);
  assert(pthread_mutex_clocklock(&mutex, no_clock, &later) == EINVAL);
  assert(pthread_mutex_clocklock(&mutex, CLOCK_BOOTTIME, &later) == EINVAL);

  assert(pthread_rwlock_timedrdlock(&rwlock, &too_large) == EINVAL);
  assert(pthread_rwlock_timedwrlock(&rwlock, &negative) == EINVAL);
  assert(pthread_rwlock_clockrdlock(&rwlock, no_clock, &later) == EINVAL);
  assert(pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &too_large) == EINVAL);
  assert(pthread_rwlock_wrlock(&rwlock) == 0);
  assert(pthread_rwlock_unlock(&rwlock) == 0);
}

static void check_conditions(void) {
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&mutex);
  assert(pthread_cond_timedwait(&condition, &mutex, &too_large) == EINVAL);
  assert(pthread_cond_timedwait(&condition, &mutex, &negative) == EINVAL);
  assert(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &too_large) == EINVAL);
  assert(pthread_cond_clockwait(&condition, &mutex, no_clock, &later) == EINVAL);
  assert(cnd_timedwait((cnd_t*)&condition, (mtx_t*)&mutex, &too_large) == thrd_error);
  pthread_mutex_unlock(&mutex);
}

static void check_semaphores(void) {
  sem_t semaphore;
  FAILS_WITH(EINVAL, sem_init(&semaphore, 0, (unsigned)INT_MAX + 1));
  assert(sem_init(&semaphore, 0, INT_MAX - 1) == 0);
  FAILS_WITH(EINVAL, sem_timedwait(&semaphore, &too_large));
  FAILS_WITH(EINVAL, sem_clockwait(&semaphore, CLOCK_MONOTONIC, &negative));
  FAILS_WITH(EINVAL, sem_clockwait(&semaphore, no_clock, &later));
  assert(sem_post(&semaphore) == 0);
  FAILS_WITH(EOVERFLOW, sem_post(&semaphore));
  int value = 0;
  assert(sem_getvalue(&semaphore, &value) == 0 && value == INT_MAX);
  assert(sem_wait(&semaphore) == 0);
  assert(sem_post(&semaphore) == 0);
  sem_destroy(&semaphore);
}

static void check_sleeps(void) {
  FAILS_WITH(EINVAL, nanosleep(&too_large, 0));
  FAILS_WITH(EINVAL, nanosleep(&before_1970, 0));
  assert(thrd_sleep(&too_large, 0) < -1);
  assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &too_large, 0) == EINVAL);
  assert(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &negative, 0) == EINVAL);
  assert(clock_nanosleep(CLOCK_REALTIME, 0, &before_1970, 0) == EINVAL);
  assert(clock_nanosleep(no_clock, 0, &later, 0) == EINVAL);
  assert(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &later, 0) == EINVAL);
  struct timespec now;
  FAILS_WITH(EINVAL, clock_gettime(no_clock, &now));
  assert(clock_gettime(CLOCK_BOOTTIME, &now) == 0);
  assert(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0);
}

static void check_polls(void) {
  struct timeval negative_span = {0, -1}, negative_seconds = {-1, 0}, two_seconds = {1, 1000000};
  FAILS_WITH(EINVAL, select(0, 0, 0, 0, &negative_span));
  FAILS_WITH(EINVAL, select(0, 0, 0, 0, &negative_seconds));
  assert(select(0, 0, 0, 0, &two_seconds) == 0);
  FAILS_WITH(EINVAL, pselect(0, 0, 0, 0, &too_large, 0));
  FAILS_WITH(EINVAL, pselect(0, 0, 0, 0, &before_1970, 0));
  FAILS_WITH(EINVAL, ppoll(0, 0, &negative, 0));
  FAILS_WITH(EINVAL, ppoll(0, 0, &before_1970, 0));
  int word = 0;
  FAILS_WITH(EINVAL, syscall(SYS_futex, &word, FUTEX_WAIT, 0, &too_large, 0, 0));
}

static void check_signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  FAILS_WITH(EINVAL, sigtimedwait(&set, 0, &too_large));
  FAILS_WITH(EINVAL, sigtimedwait(&set, 0, &before_1970));
  const struct itimerval setting = {{0, 0}, {0, 1000000}};
  FAILS_WITH(EINVAL, setitimer(ITIMER_REAL, &setting, 0));
}

int main(void) {
  check_locks();
  check_conditions();
  check_semaphores();
  check_sleeps();
  check_polls();
  check_signals();
  return 0;
}
