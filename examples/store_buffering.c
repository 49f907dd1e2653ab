// Store buffering: each thread writes its own flag, then reads the other's. Both may read the old value.
// Heddle says: the assertion fails, and only a weak memory model makes it fail. No interleaving alone can.
// heddle: finds assert
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x, y;
static int seen_y, seen_x;

static void* left(void* unused) {
  (void)unused;
  atomic_store_explicit(&x, 1, memory_order_release);
  seen_y = atomic_load_explicit(&y, memory_order_acquire);
  return NULL;
}

static void* right(void* unused) {
  (void)unused;
  atomic_store_explicit(&y, 1, memory_order_release);
  seen_x = atomic_load_explicit(&x, memory_order_acquire);
  return NULL;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, left, NULL);
  pthread_create(&b, NULL, right, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(seen_x == 1 || seen_y == 1);  // true with memory_order_seq_cst, not with release and acquire
  return 0;
}
