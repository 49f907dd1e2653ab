// A spinlock that does nothing but exchange: every attempt writes, and still one thread succeeds.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int lock;
static int counter;

static void* work(void* unused) {
  (void)unused;
  while (atomic_exchange_explicit(&lock, 1, memory_order_acquire) == 1) {
  }
  counter++;
  atomic_store_explicit(&lock, 0, memory_order_release);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  assert(counter == 3);
  return 0;
}
