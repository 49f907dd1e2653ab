// Two threads raise a flag each and look at the other one: store buffering in an array.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flags[2];
static int entered;

static void* left(void* unused) {
  atomic_store_explicit(&flags[0], 1, memory_order_release);
  if (!atomic_load_explicit(&flags[1], memory_order_acquire)) ++entered;
  return unused;
}
static void* right(void* unused) {
  atomic_store_explicit(&flags[1], 1, memory_order_release);
  if (!atomic_load_explicit(&flags[0], memory_order_acquire)) ++entered;
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, left, 0);
  pthread_create(&two, 0, right, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
}
