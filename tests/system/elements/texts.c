// Lines of text are written by the C library, and published without a release.
#include <stdio.h>

#include "threads.h"

enum { count = 3 };
static char lines[count][16];
static atomic_int ready[count];
static size_t length;

static void* print(void* unused) {
  for (int i = 0; i < count; i++) {
    snprintf(lines[i], sizeof lines[i], "line %d", i);
    atomic_store_explicit(&ready[i], 1, memory_order_relaxed);  // needs release
  }
  return unused;
}
static void* measure(void* unused) {
  for (int i = count - 1; i >= 0; i--)
    if (atomic_load_explicit(&ready[i], memory_order_acquire)) length += strlen(lines[i]);
  return unused;
}
int main(void) { RUN(print, measure); }
