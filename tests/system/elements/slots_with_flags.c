// Slots with a flag each, which are filled in a loop. The flags are stored without a release.
#include "threads.h"

enum { count = 4 };
static struct slot {
  char name[6];
  int value;
  atomic_int ready;
} slots[count];
static int sum;

static void* fill(void* unused) {
  for (int i = 0; i < count; i++) {
    slots[i].value = i;
    atomic_store_explicit(&slots[i].ready, 1, memory_order_relaxed);  // needs release
  }
  return unused;
}
static void* look(void* unused) {
  for (int i = count - 1; i >= 0; i--)
    if (atomic_load_explicit(&slots[i].ready, memory_order_acquire)) sum += slots[i].value;
  return unused;
}
int main(void) { RUN(fill, look); }
