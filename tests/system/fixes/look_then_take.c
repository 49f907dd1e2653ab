// A lock whose first look acquires, but whose exchange does not.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int held;

static void lock(void) {
  for (;;) {
    while (atomic_load_explicit(&held, memory_order_relaxed)) {
    }
    if (!atomic_exchange_explicit(&held, 1, memory_order_relaxed)) return;  // wrong
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
