// Pointers to new blocks are published in an array without a release.
#include "threads.h"

enum { count = 3 };
struct block {
  int kind;
  long words[4];
};
static _Atomic(struct block*) table[count];
static long sum;

static void* publish(void* unused) {
  for (int i = 0; i < count; i++) {
    struct block* block = malloc(sizeof *block);
    block->kind = i;
    block->words[i] = i;
    atomic_store_explicit(&table[i], block, memory_order_relaxed);  // needs release
  }
  return unused;
}
static void* look(void* unused) {
  for (int i = 0; i < count; i++) {
    struct block* block = atomic_load_explicit(&table[i], memory_order_acquire);
    if (block != NULL) sum += block->words[i];
  }
  return unused;
}
int main(void) { RUN(publish, look); }
