// A bounded queue whose cells have sequence numbers. A filled cell is published without a release.
#include "threads.h"

enum { size = 4 };
static struct cell {
  atomic_uint sequence;
  int data[2];
} cells[size];
static atomic_uint enqueued;
static int sum;

static void* produce(void* argument) {
  for (int i = 0; i < 2; i++) {
    unsigned at = atomic_fetch_add_explicit(&enqueued, 1, memory_order_relaxed);
    cells[at % size].data[i] = i;
    atomic_store_explicit(&cells[at % size].sequence, at + 1, memory_order_relaxed);  // needs release
  }
  return argument;
}
static void* consume(void* argument) {
  for (unsigned at = 0; at < size; at++)
    if (atomic_load_explicit(&cells[at].sequence, memory_order_acquire) == at + 1) sum += cells[at].data[1];
  return argument;
}
int main(void) { RUN(produce, produce, consume); }
