// A thread leaves through pthread_exit with the mutex held.
// heddle: finds deadlock
// heddle-also: misuse
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* leaves(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  pthread_exit(NULL);
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, leaves, NULL);
  pthread_join(thread, NULL);
  pthread_mutex_lock(&mutex);
  return 0;
}
