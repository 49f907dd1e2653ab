// A fence orders the stores to an array before the stores to the flags. The other side has no fence.
#include "threads.h"

enum { count = 3 };
static int values[count];
static atomic_int ready[count];
static int sum;

static void* fill(void* unused) {
  for (int i = 0; i < count; i++) values[i] = i;
  atomic_thread_fence(memory_order_release);
  for (int i = 0; i < count; i++) atomic_store_explicit(&ready[i], 1, memory_order_relaxed);
  return unused;
}
static void* look(void* unused) {
  for (int i = 0; i < count; i++)
    if (atomic_load_explicit(&ready[i], memory_order_relaxed))  // needs acquire
      sum += values[i];
  return unused;
}
int main(void) { RUN(fill, look); }
