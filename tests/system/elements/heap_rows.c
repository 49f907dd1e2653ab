// Rows on the heap are handed over one by one without a release; the receiver reads and frees them.
#include "threads.h"

enum { rows = 2, columns = 3 };
static _Atomic(int*) given[rows];
static int sum;

static void* give(void* unused) {
  for (int i = 0; i < rows; i++) {
    int* row = malloc(columns * sizeof *row);
    for (int j = 0; j < columns; j++) row[j] = i + j;
    atomic_store_explicit(&given[i], row, memory_order_relaxed);  // needs release
  }
  return unused;
}
static void* take(void* unused) {
  for (int i = 0; i < rows; i++) {
    int* row = atomic_exchange_explicit(&given[i], NULL, memory_order_acquire);
    if (row == NULL) continue;
    for (int j = 0; j < columns; j++) sum += row[j];
    free(row);
  }
  return unused;
}
int main(void) { RUN(give, take); }
