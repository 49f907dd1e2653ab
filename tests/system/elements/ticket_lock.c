// A ticket lock that is let go without a release, around a loop over an array.
#include "threads.h"

static atomic_uint next, served;
static int totals[3];

static void* work(void* argument) {
  unsigned ticket = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&served, memory_order_acquire) != ticket) {
  }
  for (int i = 0; i < 3; i++) totals[i] += i;
  atomic_store_explicit(&served, ticket + 1, memory_order_relaxed);  // needs release
  return argument;
}
int main(void) { RUN(work, work); }
