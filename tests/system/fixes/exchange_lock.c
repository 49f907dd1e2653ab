// A spin lock that is taken without acquire.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int held;

static void lock(void) {
  while (atomic_exchange_explicit(&held, 1, memory_order_relaxed)) {  // wrong
  }
}
static void unlock(void) { atomic_store_explicit(&held, 0, memory_order_release); }

static int counters[2];

static void* work(void* unused) {
  for (int i = 0; i < 2; ++i) {
    lock();
    ++counters[i];
    unlock();
  }
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, work, 0);
  pthread_create(&two, 0, work, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
}
