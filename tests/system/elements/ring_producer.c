// A ring of numbers. The producer publishes a slot without a release.
#include "threads.h"

enum { size = 2, numbers = 4 };
static long ring[size], sum;
static atomic_uint head, tail;

static void* produce(void* unused) {
  for (unsigned i = 0; i < numbers; i++) {
    while (i - atomic_load_explicit(&head, memory_order_acquire) == size) {
    }
    ring[i % size] = i;
    atomic_store_explicit(&tail, i + 1, memory_order_relaxed);  // needs release
  }
  return unused;
}
static void* consume(void* unused) {
  for (unsigned i = 0; i < numbers; i++) {
    while (atomic_load_explicit(&tail, memory_order_acquire) == i) {
    }
    sum += ring[i % size];
    atomic_store_explicit(&head, i + 1, memory_order_release);
  }
  return unused;
}
int main(void) { RUN(produce, consume); }
