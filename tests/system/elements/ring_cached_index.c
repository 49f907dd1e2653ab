// A ring whose producer remembers the consumer's index, and loads it again without an acquire.
#include "threads.h"

enum { size = 2, numbers = 5 };
static struct { short a, b; } ring[size];
static atomic_uint head, tail;
static unsigned known_head;
static int sum;

static void* produce(void* unused) {
  for (unsigned i = 0; i < numbers; i++) {
    while (i - known_head == size) known_head = atomic_load_explicit(&head, memory_order_relaxed);  // needs acquire
    ring[i % size].b = (short)i;
    atomic_store_explicit(&tail, i + 1, memory_order_release);
  }
  return unused;
}
static void* consume(void* unused) {
  for (unsigned i = 0; i < numbers; i++) {
    while (atomic_load_explicit(&tail, memory_order_acquire) == i) {
    }
    sum += ring[i % size].b;
    atomic_store_explicit(&head, i + 1, memory_order_release);
  }
  return unused;
}
int main(void) { RUN(produce, consume); }
