// A table whose buckets have a spin lock each, which is taken without an acquire.
#include "threads.h"

enum { count = 3 };
static struct bucket {
  atomic_int locked;
  int entries[2], used;
} table[count];

static void* insert(void* argument) {
  int key = (int)(long)argument;
  for (int i = 0; i < 2; i++) {
    struct bucket* bucket = &table[(key + i) % count];
    while (atomic_exchange_explicit(&bucket->locked, 1, memory_order_relaxed)) {  // needs acquire
    }
    bucket->entries[bucket->used++] = key;
    atomic_store_explicit(&bucket->locked, 0, memory_order_release);
  }
  return argument;
}
int main(void) { RUN(insert, insert); }
