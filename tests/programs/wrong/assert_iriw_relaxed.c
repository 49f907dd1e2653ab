// Two readers see two independent writes in different orders.
// heddle: finds assert
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int x, y;
static int only_x, only_y;

static void* write_x(void* unused) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  return unused;
}
static void* write_y(void* unused) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  return unused;
}
static void* read_xy(void* unused) {
  const int first = atomic_load_explicit(&x, memory_order_acquire);
  only_x = first && !atomic_load_explicit(&y, memory_order_acquire);
  return unused;
}
static void* read_yx(void* unused) {
  const int first = atomic_load_explicit(&y, memory_order_acquire);
  only_y = first && !atomic_load_explicit(&x, memory_order_acquire);
  return unused;
}

int main(void) {
  void* (*const bodies[4])(void*) = {write_x, write_y, read_xy, read_yx};
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, bodies[i], NULL);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  assert(!(only_x && only_y));
  return 0;
}
