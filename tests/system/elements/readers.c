// A table with readers that count themselves. A reader leaves without a release.
#include "threads.h"

enum { count = 2 };
static int table[count];
static atomic_int readers = 2;
static int sums[2];

static void* look(void* argument) {
  for (int i = 0; i < count; i++) sums[(long)argument] += table[i];
  atomic_fetch_sub_explicit(&readers, 1, memory_order_relaxed);  // needs release
  return argument;
}
static void* change(void* argument) {
  if (atomic_load_explicit(&readers, memory_order_acquire) != 0) return argument;
  for (int i = 0; i < count; i++) table[i] = i + 1;
  return argument;
}
int main(void) { RUN(look, look, change); }
