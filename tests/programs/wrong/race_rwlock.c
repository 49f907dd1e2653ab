// Two threads write under the read side of a rwlock.
// heddle: finds race
// heddle-mentions: cache
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int cache;

static void* work(void* value) {
  pthread_rwlock_rdlock(&lock);
  cache = *(int*)value;
  pthread_rwlock_unlock(&lock);
  return NULL;
}

int main(void) {
  static int values[2] = {1, 2};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, &values[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("%d\n", cache);
  return 0;
}
