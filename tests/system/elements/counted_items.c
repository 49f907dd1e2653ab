// A thread writes items and counts them; another one reads as many as were counted, without an acquire.
#include "threads.h"

enum { most = 4 };
static struct item {
  short kind;
  int amount;
} items[most];
static atomic_int count;
static int sum;

static void* add(void* unused) {
  for (int i = 0; i < most; i += 2) {
    items[i].amount = i;
    items[i + 1].amount = i + 1;
    atomic_store_explicit(&count, i + 2, memory_order_release);
  }
  return unused;
}
static void* look(void* unused) {
  int known = atomic_load_explicit(&count, memory_order_relaxed);  // needs acquire
  for (int i = 0; i < known; i++) sum += items[i].amount;
  return unused;
}
int main(void) { RUN(add, look); }
