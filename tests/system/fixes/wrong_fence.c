// The fence before the store of a flag acquires, where it has to release.
#include <pthread.h>
#include <stdatomic.h>

static int cells[2];
static atomic_int ready;

static void* fill(void* unused) {
  cells[0] = 1;
  cells[1] = 2;
  atomic_thread_fence(memory_order_acquire);               // wrong
  atomic_store_explicit(&ready, 1, memory_order_relaxed);  // wrong
  return unused;
}
static void* add(void* unused) {
  if (!atomic_load_explicit(&ready, memory_order_relaxed)) return unused;
  atomic_thread_fence(memory_order_acquire);
  return cells[0] + cells[1] == 3 ? unused : cells;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, fill, 0);
  pthread_create(&two, 0, add, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
}
