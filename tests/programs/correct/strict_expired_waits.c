// Loops around waits whose deadline has passed: for a condition variable, a semaphore, a mutex, a descriptor. Such a
// wait lets time pass, so a thread that sleeps wakes, and the loop ends. Two threads that wait in this way do not keep
// each other from it.
// heddle: clean
// heddle-runs: 50
// heddle-options: --time-model strict
// heddle-levels: -O0 -O2
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t posted, is_held;
static int ends[2];
static int done;
static const struct timespec past = {.tv_sec = 2};

static void* work(void* unused) {
  pthread_mutex_lock(&held);
  sem_post(&is_held);
  usleep(100000);
  pthread_mutex_unlock(&held);
  usleep(100000);
  pthread_mutex_lock(&mutex);
  done = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  usleep(100000);
  sem_post(&posted);
  sem_post(&posted);
  usleep(100000);
  assert(write(ends[1], "x", 1) == 1);
  return unused;
}

static void* wait_twice(void* unused) {
  pthread_mutex_lock(&mutex);
  while (!done) pthread_cond_timedwait(&changed, &mutex, &past);
  pthread_mutex_unlock(&mutex);
  while (sem_timedwait(&posted, &past) != 0) assert(errno == ETIMEDOUT);
  return unused;
}

int main(void) {
  pthread_t worker, other;
  sem_init(&posted, 0, 0);
  sem_init(&is_held, 0, 0);
  assert(pipe(ends) == 0);
  pthread_create(&worker, NULL, work, NULL);
  sem_wait(&is_held);
  while (pthread_mutex_timedlock(&held, &past) != 0) {
  }
  pthread_mutex_unlock(&held);
  pthread_create(&other, NULL, wait_twice, NULL);
  wait_twice(NULL);
  struct pollfd asked = {.fd = ends[0], .events = POLLIN};
  while (poll(&asked, 1, 0) == 0) {
  }
  pthread_join(worker, NULL);
  pthread_join(other, NULL);
}
