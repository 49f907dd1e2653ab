// A timed wait, on the monotonic clock, either sees the predicate or times out; the mutex is held in both cases.
// heddle: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static int value;

static void* writer(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  value = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&changed, &attributes);
  pthread_condattr_destroy(&attributes);
  pthread_t thread;
  pthread_create(&thread, NULL, writer, NULL);
  struct timespec limit;
  clock_gettime(CLOCK_MONOTONIC, &limit);
  limit.tv_sec += 1;
  pthread_mutex_lock(&mutex);
  int result = 0;
  while (value == 0 && result != ETIMEDOUT) {
    result = pthread_cond_timedwait(&changed, &mutex, &limit);
    assert(result == 0 || result == ETIMEDOUT);
  }
  value += 2;
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  assert(value == 1 || value == 3);
  pthread_cond_destroy(&changed);
  return 0;
}
