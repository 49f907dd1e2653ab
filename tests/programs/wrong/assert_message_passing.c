// Message passing where data and flag are both relaxed atomics: no race, but the data may be old.
// heddle: finds assert
#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <threads.h>

static atomic_int data, flag;

static int sends(void* unused) {
  (void)unused;
  atomic_store_explicit(&data, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return 0;
}

int main(void) {
  thrd_t thread;
  thrd_create(&thread, sends, NULL);
  if (atomic_load_explicit(&flag, memory_order_relaxed) == 1) {
    assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);
  }
  thrd_join(thread, NULL);
  return 0;
}
