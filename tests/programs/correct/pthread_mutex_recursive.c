// A recursive mutex may be locked again by its owner, and is free after as many unlocks.
// heddle: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex;
static int depth_sum;

static void descend(int depth) {
  assert(pthread_mutex_lock(&mutex) == 0);
  depth_sum += depth;
  if (depth > 0) descend(depth - 1);
  assert(pthread_mutex_unlock(&mutex) == 0);
}

static void* work(void* unused) {
  (void)unused;
  descend(3);
  return NULL;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  assert(depth_sum == 12);
  assert(pthread_mutex_unlock(&mutex) == EPERM);
  return 0;
}
