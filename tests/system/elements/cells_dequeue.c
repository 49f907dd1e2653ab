// A bounded queue whose cells have sequence numbers. A cell is given back without a release.
#include "threads.h"

enum { size = 2, numbers = 2 };
static struct cell {
  atomic_uint sequence;
  int data;
} cells[size];
static atomic_uint enqueued, dequeued;
static int sum;

static void* produce(void* argument) {
  for (int i = 0; i < numbers; i++) {
    unsigned at = atomic_fetch_add_explicit(&enqueued, 1, memory_order_relaxed);
    struct cell* cell = &cells[at % size];
    while (atomic_load_explicit(&cell->sequence, memory_order_acquire) != at) {
    }
    cell->data = i;
    atomic_store_explicit(&cell->sequence, at + 1, memory_order_release);
  }
  return argument;
}
static void* consume(void* argument) {
  for (int i = 0; i < 2 * numbers; i++) {
    unsigned at = atomic_fetch_add_explicit(&dequeued, 1, memory_order_relaxed);
    struct cell* cell = &cells[at % size];
    while (atomic_load_explicit(&cell->sequence, memory_order_acquire) != at + 1) {
    }
    sum += cell->data;
    atomic_store_explicit(&cell->sequence, at + size, memory_order_relaxed);  // needs release
  }
  return argument;
}
int main(void) {
  for (unsigned i = 0; i < size; i++) atomic_init(&cells[i].sequence, i);
  RUN(produce, produce, consume);
}
