// The signal comes before its handler is set: it ends the program.
// heddle: finds crash
// heddle-mentions: SIGUSR1 ends the program
// heddle-levels: -O0 -O2
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

static void on_signal(int number) { (void)number; }

static void* sends(void* receiver) {
  pthread_kill(*(pthread_t*)receiver, SIGUSR1);
  return NULL;
}

int main(void) {
  pthread_t self = pthread_self(), thread;
  pthread_create(&thread, NULL, sends, &self);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  signal(SIGUSR1, on_signal);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return 0;
}
