// Two readers both want to become the writer.
// heddle: finds deadlock
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t first = PTHREAD_RWLOCK_INITIALIZER, second = PTHREAD_RWLOCK_INITIALIZER;

static void* work(void* mine) {
  pthread_rwlock_t* const other = mine == &first ? &second : &first;
  pthread_rwlock_rdlock(mine);
  pthread_rwlock_wrlock(other);
  pthread_rwlock_unlock(other);
  pthread_rwlock_unlock(mine);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, work, &first);
  pthread_create(&threads[1], NULL, work, &second);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
