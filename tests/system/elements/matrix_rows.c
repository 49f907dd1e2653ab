// Rows of a matrix depend on the row above, which another thread computes. The progress is stored without a release.
#include "threads.h"

enum { rows = 3, columns = 3 };
static int matrix[rows + 1][columns];
static atomic_int progress[rows + 1];

static void* compute(void* argument) {
  for (int row = 1 + (int)(long)argument; row <= rows; row += 2) {
    while (row > 1 && !atomic_load_explicit(&progress[row - 1], memory_order_acquire)) {
    }
    for (int i = 0; i < columns; i++) matrix[row][i] = matrix[row - 1][i] + 1;
    atomic_store_explicit(&progress[row], 1, memory_order_relaxed);  // needs release
  }
  return argument;
}
int main(void) { RUN(compute, compute); }
