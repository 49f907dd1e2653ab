// A thread leaves a reader-writer lock that it has not entered.
// heddle: finds misuse
// heddle-mentions: a reader-writer lock is unlocked by a thread that does not hold it
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

int main(void) {
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_unlock(&lock);
  return 0;
}
