// Each thread takes a mutex, but not the same one.
// heddle: finds race
// heddle-mentions: balance
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static long balance;

static void* work(void* mutex) {
  pthread_mutex_lock(mutex);
  balance += 10;
  pthread_mutex_unlock(mutex);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, work, &one);
  pthread_create(&threads[1], NULL, work, &other);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("%ld\n", balance);
  return 0;
}
