// A ring whose consumer gives slots back without release.
#include <pthread.h>
#include <stdatomic.h>

enum { size = 2, count = 4 };
static int slots[size];
static atomic_uint head, tail;

static void* produce(void* unused) {
  for (unsigned i = 0; i < count; ++i) {
    while (i - atomic_load_explicit(&tail, memory_order_acquire) == size) {
    }
    slots[i % size] = (int)i;
    atomic_store_explicit(&head, i + 1, memory_order_release);
  }
  return unused;
}
static void* consume(void* unused) {
  for (unsigned i = 0; i < count; ++i) {
    while (atomic_load_explicit(&head, memory_order_acquire) == i) {
    }
    if (slots[i % size] != (int)i) return slots;
    atomic_store_explicit(&tail, i + 1, memory_order_relaxed);  // wrong
  }
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, produce, 0);
  pthread_create(&two, 0, consume, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
}
