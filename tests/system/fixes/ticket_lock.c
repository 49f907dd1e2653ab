// A ticket lock that is taken without acquire.
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint next, owner;

static void lock(void) {
  unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&owner, memory_order_relaxed) != mine) {  // wrong
  }
}
static void unlock(void) {
  unsigned mine = atomic_load_explicit(&owner, memory_order_relaxed);
  atomic_store_explicit(&owner, mine + 1, memory_order_release);
}

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
