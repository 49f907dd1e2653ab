// A writer waits until the readers have left, but they leave without release.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int readers = 2;
static int table[2] = {1, 2};

static void* read_table(void* unused) {
  int sum = 0;
  for (int i = 0; i < 2; ++i) sum += table[i];
  atomic_fetch_sub_explicit(&readers, 1, memory_order_relaxed);  // wrong
  return sum == 0 ? table : unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, read_table, 0);
  pthread_create(&two, 0, read_table, 0);
  while (atomic_load_explicit(&readers, memory_order_acquire)) {
  }
  for (int i = 0; i < 2; ++i) table[i] = 0;
  pthread_join(one, 0);
  pthread_join(two, 0);
}
