// A bounded queue gives cells back without release. The counter of the test is relaxed, too, and right.
#include <pthread.h>
#include <stdatomic.h>

struct cell {
  atomic_uint sequence;
  int data[2];
};
static struct cell cells[1];
static atomic_uint taken;

static void* produce(void* unused) {
  for (unsigned i = 0; i < 2; ++i) {
    while (atomic_load_explicit(&cells[0].sequence, memory_order_acquire) != 2 * i) {
    }
    cells[0].data[0] = cells[0].data[1] = (int)i;
    atomic_store_explicit(&cells[0].sequence, 2 * i + 1, memory_order_release);
  }
  return unused;
}
static void* consume(void* unused) {
  while (atomic_load_explicit(&taken, memory_order_relaxed) < 2) {
    unsigned i = atomic_load_explicit(&taken, memory_order_relaxed);
    if (atomic_load_explicit(&cells[0].sequence, memory_order_acquire) != 2 * i + 1) continue;
    if (cells[0].data[1] != (int)i) return cells;
    atomic_fetch_add_explicit(&taken, 1, memory_order_relaxed);
    atomic_store_explicit(&cells[0].sequence, 2 * i + 2, memory_order_relaxed);  // wrong
  }
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, produce, 0);
  pthread_create(&two, 0, consume, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
}
