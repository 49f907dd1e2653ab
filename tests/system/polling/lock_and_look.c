// A thread locks a mutex, looks and unlocks it, until other threads have done their work: a loop that waits.
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int done;

static void* work(void* unused) {
  pthread_mutex_lock(&mutex);
  done++;
  pthread_mutex_unlock(&mutex);
  return unused;
}
static void* look(void* unused) {
  for (;;) {
    pthread_mutex_lock(&mutex);
    const int seen = done;
    pthread_mutex_unlock(&mutex);
    if (seen == NEEDED) return unused;
  }
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], 0, look, 0);
  pthread_create(&threads[1], 0, work, 0);
  pthread_create(&threads[2], 0, work, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  return 0;
}
