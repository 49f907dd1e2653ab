// A barrier that counts arrivals without a release, between two rounds over an array.
#include "threads.h"

static int parts[2][2];
static atomic_int arrived;
static int sums[2];

static void* work(void* argument) {
  long me = (long)argument;
  for (int i = 0; i < 2; i++) parts[me][i] = i;
  atomic_fetch_add_explicit(&arrived, 1, memory_order_acquire);  // needs acq_rel
  while (atomic_load_explicit(&arrived, memory_order_acquire) != 2) {
  }
  for (int i = 0; i < 2; i++) sums[me] += parts[1 - me][i];
  return argument;
}
int main(void) { RUN(work, work); }
