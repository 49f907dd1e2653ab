// A sequence lock over an array of atomics. The second load of the sequence number is not ordered behind the reads.
#include "threads.h"

static atomic_int sequence, words[2];

static void* change(void* unused) {
  for (int round = 1; round <= 2; round++) {
    atomic_store_explicit(&sequence, 2 * round - 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    for (int i = 0; i < 2; i++) atomic_store_explicit(&words[i], round, memory_order_relaxed);
    atomic_store_explicit(&sequence, 2 * round, memory_order_release);
  }
  return unused;
}
static void* look(void* unused) {
  int before = atomic_load_explicit(&sequence, memory_order_acquire), seen[2];
  for (int i = 0; i < 2; i++) seen[i] = atomic_load_explicit(&words[i], memory_order_relaxed);  // needs acquire
  if (before % 2 == 0 && before == atomic_load_explicit(&sequence, memory_order_relaxed)) assert(seen[0] == seen[1]);
  return unused;
}
int main(void) { RUN(change, look); }
