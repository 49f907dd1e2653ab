// The condition is tested in one critical section, and the wait is in another one: the change can come between them.
// heddle: finds deadlock
// heddle-levels: -O0 -O2
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready;

static void* consume(void* unused) {
  pthread_mutex_lock(&mutex);
  const int is_ready = ready;
  pthread_mutex_unlock(&mutex);
  if (is_ready) return unused;
  pthread_mutex_lock(&mutex);
  pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, consume, NULL);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
