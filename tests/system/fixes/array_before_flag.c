// The reader of an array loads its flag without acquire.
#include <pthread.h>
#include <stdatomic.h>

static long cells[4];
static atomic_int ready;

static void* fill(void* unused) {
  for (int i = 0; i < 4; ++i) cells[i] = i + 1;
  atomic_store_explicit(&ready, 1, memory_order_release);
  return unused;
}
static void* add(void* unused) {
  while (!atomic_load_explicit(&ready, memory_order_relaxed)) {  // wrong
  }
  long sum = 0;
  for (int i = 0; i < 4; ++i) sum += cells[i];
  return sum == 0 ? &ready : unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, fill, 0);
  pthread_create(&two, 0, add, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
}
