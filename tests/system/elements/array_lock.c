// An array lock: each thread waits for a place of its own. The next place is opened without a release.
#include "threads.h"

enum { places = 4 };
static atomic_int open[places] = {1};
static atomic_uint next;
static int counters[2];

static void* work(void* argument) {
  for (int round = 0; round < 2; round++) {
    unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed) % places;
    while (!atomic_load_explicit(&open[mine], memory_order_acquire)) {
    }
    counters[round]++;
    atomic_store_explicit(&open[(mine + 1) % places], 1, memory_order_relaxed);  // needs release
  }
  return argument;
}
int main(void) { RUN(work, work); }
