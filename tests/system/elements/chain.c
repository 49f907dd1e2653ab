// Three threads pass an array on, one element each. The second passes it on without a release.
#include "threads.h"

static int data[3];
static atomic_int step[2];

static void* first(void* unused) {
  data[0] = 1;
  atomic_store_explicit(&step[0], 1, memory_order_release);
  return unused;
}
static void* second(void* unused) {
  if (!atomic_load_explicit(&step[0], memory_order_acquire)) return unused;
  data[1] = data[0] + 1;
  atomic_store_explicit(&step[1], 1, memory_order_relaxed);  // needs release
  return unused;
}
static void* third(void* unused) {
  if (!atomic_load_explicit(&step[1], memory_order_acquire)) return unused;
  for (int i = 0; i < 2; i++) data[2] += data[i];
  return unused;
}
int main(void) { RUN(first, second, third); }
