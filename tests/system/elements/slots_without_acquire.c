// As slots_with_flags.c, but the flags are loaded without an acquire.
#include "threads.h"

enum { count = 4 };
static long values[count];
static atomic_int ready[count];
static long sum;

static void* fill(void* unused) {
  for (int i = 0; i < count; i++) {
    values[i] = i;
    atomic_store_explicit(&ready[i], 1, memory_order_release);
  }
  return unused;
}
static void* look(void* unused) {
  for (int i = 0; i < count; i++)
    if (atomic_load_explicit(&ready[i], memory_order_relaxed))  // needs acquire
      sum += values[i];
  return unused;
}
int main(void) { RUN(fill, look); }
