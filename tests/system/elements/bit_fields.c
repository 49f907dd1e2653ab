// Entries with bit fields behind one spin lock, which is let go without a release.
#include "threads.h"

static struct entry {
  unsigned kind : 3, age : 5;
  unsigned char weight;
} entries[3];
static atomic_flag lock = ATOMIC_FLAG_INIT;

static void* work(void* argument) {
  for (int i = 0; i < 3; i++) {
    while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {
    }
    entries[i].age = (unsigned)i & 31u;
    atomic_flag_clear_explicit(&lock, memory_order_relaxed);  // needs release
  }
  return argument;
}
int main(void) { RUN(work, work); }
