// pthread_cancel only asks: the thread continues until it reaches a cancellation point, beside the thread that asked.
// heddle: finds race
// heddle-mentions: counter
// heddle-levels: -O0 -O2
#include <pthread.h>
#include <stddef.h>

static int counter;

static void* works(void* unused) {
  (void)unused;
  ++counter;
  pthread_testcancel();
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, works, NULL);
  pthread_cancel(thread);
  ++counter;
  pthread_join(thread, NULL);
  return 0;
}
