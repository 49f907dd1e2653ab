// The flag that a condition variable announces is set without the mutex.
// heddle: finds race
// heddle-also: deadlock
// heddle-mentions: ready
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void* announces(void* unused) {
  ready = 1;
  pthread_cond_signal(&changed);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, announces, NULL);
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
