// A robust mutex passes from a thread that has ended to the next one, which mends it, or makes it useless for ever.
// heddle: clean
// heddle-levels: -O0 -O2
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t mended, abandoned;
static int data;

static void* ends_in_the_middle(void* unused) {
  pthread_mutex_lock(&mended);
  data = 1;
  pthread_mutex_lock(&abandoned);
  return unused;
}

static void* goes_on(void* unused) {
  const int error = pthread_mutex_lock(&mended);
  if (error == EOWNERDEAD) {
    assert(data == 1);
    data = 2;
    assert(pthread_mutex_consistent(&mended) == 0);
    assert(pthread_mutex_consistent(&mended) == EINVAL);
  } else {
    assert(error == 0);
  }
  assert(pthread_mutex_unlock(&mended) == 0);
  return unused;
}

int main(void) {
  pthread_mutexattr_t robust;
  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  pthread_mutexattr_setprotocol(&robust, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&mended, &robust);
  pthread_mutex_init(&abandoned, &robust);
  pthread_t first, second;
  pthread_create(&first, NULL, ends_in_the_middle, NULL);
  pthread_create(&second, NULL, goes_on, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  assert(pthread_mutex_unlock(&mended) == EPERM);
  assert(pthread_mutex_trylock(&abandoned) == EOWNERDEAD);
  pthread_mutex_unlock(&abandoned);
  assert(pthread_mutex_lock(&abandoned) == ENOTRECOVERABLE);
  const int error = pthread_mutex_lock(&mended);
  assert(error == (data == 2 ? 0 : EOWNERDEAD));
  pthread_mutex_consistent(&mended);
  pthread_mutex_unlock(&mended);
  return 0;
}
