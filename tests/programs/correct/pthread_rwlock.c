// Readers share a rwlock, writers have it alone; tryrdlock and trywrlock never wait.
// heddle: clean
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int a, b;

static void* read_both(void* unused) {
  (void)unused;
  pthread_rwlock_rdlock(&lock);
  assert(a == b);
  pthread_rwlock_unlock(&lock);
  if (pthread_rwlock_tryrdlock(&lock) == 0) {
    assert(a == b);
    assert(pthread_rwlock_trywrlock(&lock) != 0);
    pthread_rwlock_unlock(&lock);
  }
  return NULL;
}

static void* write_both(void* unused) {
  (void)unused;
  pthread_rwlock_wrlock(&lock);
  a++;
  b++;
  pthread_rwlock_unlock(&lock);
  if (pthread_rwlock_trywrlock(&lock) == 0) {
    a = b = 10;
    pthread_rwlock_unlock(&lock);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, read_both, NULL);
  pthread_create(&threads[1], NULL, read_both, NULL);
  pthread_create(&threads[2], NULL, write_both, NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  assert(a == b && a >= 1);
  return 0;
}
