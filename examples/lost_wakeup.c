// A condition variable without a condition: the signal that comes before the wait is lost.
// Heddle says: deadlock; the waiter sleeps for ever because its wake-up was there before it.
// heddle: finds deadlock
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;

static void* worker(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  pthread_cond_signal(&done);  // should first set a flag, which the waiter tests in a loop
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, worker, NULL);
  pthread_mutex_lock(&mutex);
  pthread_cond_wait(&done, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
