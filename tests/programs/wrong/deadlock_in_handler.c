// A handler that takes a lock which the interrupted code may hold: it waits for itself.
// heddle: finds deadlock
// heddle-also: signal-unsafe
// heddle-mentions: on_signal
// heddle-levels: -O0 -O2
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int entries;

static void on_signal(int number) {
  (void)number;
  pthread_mutex_lock(&mutex);
  ++entries;
  pthread_mutex_unlock(&mutex);
}

static void* work(void* unused) {
  (void)unused;
  for (int i = 0; i < 3; ++i) {
    pthread_mutex_lock(&mutex);
    ++entries;
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

int main(void) {
  signal(SIGUSR1, on_signal);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
  return 0;
}
