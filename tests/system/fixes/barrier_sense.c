// A barrier opens by a relaxed store.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int arrived, is_open;
static int cells[2];

static void wait_for_all(void) {
  if (atomic_fetch_add_explicit(&arrived, 1, memory_order_acq_rel) == 1)
    atomic_store_explicit(&is_open, 1, memory_order_relaxed);  // wrong
  else
    while (!atomic_load_explicit(&is_open, memory_order_acquire)) {
    }
}
static void* left(void* unused) {
  cells[0] = 1;
  wait_for_all();
  return cells[1] == 2 ? unused : cells;
}
static void* right(void* unused) {
  cells[1] = 2;
  wait_for_all();
  return cells[0] == 1 ? unused : cells;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, left, 0);
  pthread_create(&two, 0, right, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
}
