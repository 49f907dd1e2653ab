// A thread is cancelled while it holds a mutex, and has no cleanup handler that unlocks it.
// heddle: finds deadlock
// heddle-also: misuse
// heddle-mentions: mutex
// heddle-levels: -O0 -O2
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* works(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  usleep(10);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, works, NULL);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return 0;
}
