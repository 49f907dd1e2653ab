// Blocks of an array have reference counts, which are decremented without a release.
#include "threads.h"

enum { count = 2 };
static struct block {
  atomic_int references;
  int data[2];
} * blocks[count];

static void* drop(void* argument) {
  for (int i = 0; i < count; i++) {
    blocks[i]->data[(long)argument] = i;
    if (atomic_fetch_sub_explicit(&blocks[i]->references, 1, memory_order_acquire) == 1)  // needs acq_rel
      free(blocks[i]);
  }
  return argument;
}
int main(void) {
  for (int i = 0; i < count; i++) {
    blocks[i] = malloc(sizeof *blocks[i]);
    atomic_init(&blocks[i]->references, 2);
  }
  RUN(drop, drop);
}
