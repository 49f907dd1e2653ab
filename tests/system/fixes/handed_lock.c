// A queue lock is handed to the next thread by a relaxed store.
#include <pthread.h>
#include <stdatomic.h>

struct waiter {
  _Atomic(struct waiter*) next;
  atomic_int is_locked;
};
static _Atomic(struct waiter*) last;
static int counter;

static void* work(void* unused) {
  struct waiter me = {0, 1};
  struct waiter* before = atomic_exchange_explicit(&last, &me, memory_order_acq_rel);
  if (before) {
    atomic_store_explicit(&before->next, &me, memory_order_release);
    while (atomic_load_explicit(&me.is_locked, memory_order_acquire)) {
    }
  }
  ++counter;
  struct waiter* self = &me;
  if (atomic_compare_exchange_strong_explicit(&last, &self, 0, memory_order_acq_rel, memory_order_acquire))
    return unused;
  struct waiter* after;
  while (!(after = atomic_load_explicit(&me.next, memory_order_acquire))) {
  }
  atomic_store_explicit(&after->is_locked, 0, memory_order_relaxed);  // wrong
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, work, 0);
  pthread_create(&two, 0, work, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
}
