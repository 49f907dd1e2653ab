// Cleanup handlers run in reverse order when a thread calls pthread_exit.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int steps;

static void unlock(void* unused) {
  (void)unused;
  assert(steps == 1);
  steps = 2;
  pthread_mutex_unlock(&mutex);
}

static void count(void* unused) {
  (void)unused;
  assert(steps == 0);
  steps = 1;
}

static void* leaves_holding_it(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, NULL);
  pthread_cleanup_push(count, NULL);
  pthread_exit(NULL);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, leaves_holding_it, NULL);
  pthread_join(thread, NULL);
  pthread_mutex_lock(&mutex);
  assert(steps == 2);
  pthread_mutex_unlock(&mutex);
  return 0;
}
