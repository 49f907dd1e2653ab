// Structs are copied as a whole into slots, which are published without a release.
#include "threads.h"

enum { count = 3 };
struct record {
  char name[24];
  long values[6];
};
static struct record slots[count], seen;
static atomic_int filled;

static void* fill(void* unused) {
  struct record record = {"record", {1, 2, 3}};
  for (int i = 0; i < count; i++) {
    record.values[0] = i;
    memcpy(&slots[i], &record, sizeof record);
    atomic_store_explicit(&filled, i + 1, memory_order_relaxed);  // needs release
  }
  return unused;
}
static void* look(void* unused) {
  int known = atomic_load_explicit(&filled, memory_order_acquire);
  if (known != 0) memcpy(&seen, &slots[known - 1], sizeof seen);
  return unused;
}
int main(void) { RUN(fill, look); }
