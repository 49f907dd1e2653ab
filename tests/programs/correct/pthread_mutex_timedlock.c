// timedlock gets the mutex or times out; both are handled, and a time-out means that the data is left alone.
// heddle: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void* work(void* got_it) {
  struct timespec limit;
  clock_gettime(CLOCK_REALTIME, &limit);
  limit.tv_nsec += 1000000;
  if (limit.tv_nsec >= 1000000000) {
    limit.tv_sec++;
    limit.tv_nsec -= 1000000000;
  }
  const int result = pthread_mutex_timedlock(&mutex, &limit);
  if (result == ETIMEDOUT) return NULL;
  assert(result == 0);
  counter++;
  *(int*)got_it = 1;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int got_it[2] = {0, 0};
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, &got_it[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  assert(counter == got_it[0] + got_it[1]);
  return 0;
}
