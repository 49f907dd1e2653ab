// Bits of a word are claims on the elements of an array. A claim is given back without a release.
#include "threads.h"

enum { count = 2 };
static atomic_uint claimed;
static int elements[count];

static void* work(void* argument) {
  for (unsigned i = 0; i < count; i++) {
    if (atomic_fetch_or_explicit(&claimed, 1u << i, memory_order_acquire) & 1u << i) continue;
    elements[i]++;
    atomic_fetch_and_explicit(&claimed, ~(1u << i), memory_order_relaxed);  // needs release
  }
  return argument;
}
int main(void) { RUN(work, work); }
