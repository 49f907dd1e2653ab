// Store buffering, sequentially consistent: at least one thread sees the other's store.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x, y;
static int seen_x, seen_y;

static void* left(void* unused) {
  (void)unused;
  atomic_store(&x, 1);
  seen_y = atomic_load(&y);
  return NULL;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, left, NULL);
  atomic_store(&y, 1);
  seen_x = atomic_load(&x);
  pthread_join(thread, NULL);
  assert(seen_x == 1 || seen_y == 1);
  return 0;
}
