// An owner adds tasks at the bottom, a thief takes them at the top. The bottom is stored without a release.
#include "threads.h"

enum { count = 4 };
static struct task { int input, output; } tasks[count];
static atomic_int top, bottom;
static int done;

static void* own(void* unused) {
  for (int i = 0; i < count; i++) {
    tasks[i].input = i;
    atomic_store_explicit(&bottom, i + 1, memory_order_relaxed);  // needs release
  }
  return unused;
}
static void* steal(void* unused) {
  for (int tries = 0; tries < 3; tries++) {
    int at = atomic_load_explicit(&top, memory_order_acquire);
    if (at >= atomic_load_explicit(&bottom, memory_order_acquire)) continue;
    if (atomic_compare_exchange_strong(&top, &at, at + 1)) done += tasks[at].input;
  }
  return unused;
}
int main(void) { RUN(own, steal); }
