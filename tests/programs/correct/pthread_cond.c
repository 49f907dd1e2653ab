// A condition variable with its predicate in a loop: wake-ups may be spurious, none is lost.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool ready;
static int payload;

static void* producer(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  payload = 3;
  ready = true;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, producer, NULL);
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&changed, &mutex);
  assert(payload == 3);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
