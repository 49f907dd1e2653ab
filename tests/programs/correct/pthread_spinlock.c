// A pthread spinlock excludes and orders; trylock on a held one says EBUSY.
// heddle: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>

static pthread_spinlock_t lock;
static int counter;

static void* work(void* unused) {
  (void)unused;
  pthread_spin_lock(&lock);
  assert(pthread_spin_trylock(&lock) == EBUSY);
  counter++;
  pthread_spin_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  assert(counter == 3);
  pthread_spin_destroy(&lock);
  return 0;
}
