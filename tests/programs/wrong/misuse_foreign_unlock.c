// A thread unlocks a mutex that another thread has locked.
// heddle: finds misuse
// heddle-levels: -O0 -O2
// heddle-mentions: unlocked by a thread that does not hold it
// heddle-mentions: guard
#include <pthread.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

static void* unlocks(void* unused) {
  pthread_mutex_unlock(&guard);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_mutex_lock(&guard);
  pthread_create(&thread, NULL, unlocks, NULL);
  pthread_join(thread, NULL);
  return 0;
}
