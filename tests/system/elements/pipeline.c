// Three stages work on an array, each behind the one before. The middle stage counts without a release.
#include "threads.h"

enum { items = 3 };
static int data[items], half[items], whole;
static atomic_int first, second;

static void* read_in(void* unused) {
  for (int i = 0; i < items; i++) {
    data[i] = i;
    atomic_store_explicit(&first, i + 1, memory_order_release);
  }
  return unused;
}
static void* convert(void* unused) {
  for (int i = 0; i < items; i++) {
    while (atomic_load_explicit(&first, memory_order_acquire) <= i) {
    }
    half[i] = data[i] / 2;
    atomic_store_explicit(&second, i + 1, memory_order_relaxed);  // needs release
  }
  return unused;
}
static void* write_out(void* unused) {
  for (int i = 0; i < items; i++) {
    while (atomic_load_explicit(&second, memory_order_acquire) <= i) {
    }
    whole += half[i];
  }
  return unused;
}
int main(void) { RUN(read_in, convert, write_out); }
