// Figure 2 with the memory orders that forbid its cycles.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, done;

static void* thread1(void* unused) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  atomic_store_explicit(&done, 1, memory_order_release);
  return unused;
}

static void* thread2(void* unused) {
  if (atomic_load_explicit(&done, memory_order_acquire)) {
    assert(atomic_load_explicit(&x, memory_order_relaxed) != 0);
    int local = atomic_load_explicit(&y, memory_order_relaxed);
    (void)local;
  }
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, thread1, 0);
  pthread_create(&b, 0, thread2, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
