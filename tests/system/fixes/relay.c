// A value goes through three threads, and the last hop does not release.
#include <pthread.h>
#include <stdatomic.h>

static int box[2];
static atomic_int first, second;

static void* begin(void* unused) {
  box[1] = 5;
  atomic_store_explicit(&first, 1, memory_order_release);
  return unused;
}
static void* pass(void* unused) {
  while (!atomic_load_explicit(&first, memory_order_acquire)) {
  }
  atomic_store_explicit(&second, 1, memory_order_relaxed);  // wrong
  return unused;
}
static void* end(void* unused) {
  while (!atomic_load_explicit(&second, memory_order_acquire)) {
  }
  return box[1] == 5 ? unused : box;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], 0, begin, 0);
  pthread_create(&threads[1], 0, pass, 0);
  pthread_create(&threads[2], 0, end, 0);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
}
