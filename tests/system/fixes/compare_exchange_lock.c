// A spin lock that is taken by a relaxed compare-exchange.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int held;

static void lock(void) {
  int free = 0;
  while (
      !atomic_compare_exchange_strong_explicit(&held, &free, 1, memory_order_relaxed, memory_order_relaxed))  // wrong
    free = 0;
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
