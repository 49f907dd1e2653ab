// Peterson's lock with acquire and release, which needs seq_cst.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
static int counter;

static void work(int me) {
  atomic_store_explicit(&wants[me], 1, memory_order_release);
  atomic_store_explicit(&turn, 1 - me, memory_order_release);
  for (;;) {
    if (!atomic_load_explicit(&wants[1 - me], memory_order_acquire)) break;
    if (atomic_load_explicit(&turn, memory_order_acquire) == me) break;
  }
  ++counter;
  atomic_store_explicit(&wants[me], 0, memory_order_release);
}
static void* left(void* unused) {
  work(0);
  return unused;
}
static void* right(void* unused) {
  work(1);
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, left, 0);
  pthread_create(&two, 0, right, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
}
