// What a thread stores inside a critical section of a spinlock is in memory when another thread has the lock, although
// the unlock is a plain store on x86.
// heddle: clean
// heddle-runs: 100000
// heddle-options: -m tso -s exhaustive
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_spinlock_t lock;
static atomic_int counter, copy;

static void add(void) {
  const int value = atomic_load_explicit(&counter, memory_order_relaxed);
  assert(atomic_load_explicit(&copy, memory_order_relaxed) == value);
  atomic_store_explicit(&counter, value + 1, memory_order_relaxed);
  atomic_store_explicit(&copy, value + 1, memory_order_relaxed);
}

static void* work(void* unused) {
  pthread_spin_lock(&lock);
  add();
  pthread_spin_unlock(&lock);
  if (pthread_spin_trylock(&lock) == 0) {
    add();
    pthread_spin_unlock(&lock);
  }
  return unused;
}

int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  const int sum = atomic_load(&counter);
  assert(sum >= 3 && sum <= 4);
  pthread_spin_destroy(&lock);
}
