// Plain accesses of several sizes to one address, which are relaxed atomics of several sizes: threads fill a union by
// bytes and halves, and read it as a whole, under a lock. A flag without a lock has a buffered store of its own.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static union {
  unsigned long whole;
  unsigned halves[2];
  unsigned char bytes[8];
} mixed;
static union {
  unsigned wide;
  unsigned char narrow;
} flag;

static void* fill(void* unused) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&lock);
    mixed.whole = 0;
    mixed.bytes[0] = 1;
    mixed.halves[1] = 1;
    assert(mixed.whole == 0x100000001UL);
    mixed.halves[0] = 0x203;
    assert(mixed.bytes[0] == 3 && mixed.bytes[1] == 2);
    pthread_mutex_unlock(&lock);
  }
  flag.wide = 1;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, fill, NULL);
  while (flag.narrow == 0) {
  }
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  assert(mixed.whole == 0x100000203UL && flag.wide == 1);
  return 0;
}
