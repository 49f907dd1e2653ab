// No atomic access at all (no argument), or of one thread only.
#include <stdatomic.h>

static atomic_int x, y;

int main(int count, char** words) {
  (void)words;
  if (count == 1) return 0;
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  return atomic_load_explicit(&y, memory_order_relaxed);
}
