// Slots of an array have a state each, and a slot is filled without release.
#include <pthread.h>
#include <stdatomic.h>

struct slot {
  atomic_int state;
  int value;
};
static struct slot slots[3];

static void* fill(void* unused) {
  for (int i = 0; i < 3; ++i) {
    slots[i].value = i + 1;
    atomic_store_explicit(&slots[i].state, 1, memory_order_relaxed);  // wrong
  }
  return unused;
}
static void* empty(void* unused) {
  int sum = 0;
  for (int i = 0; i < 3; ++i)
    if (atomic_load_explicit(&slots[i].state, memory_order_acquire)) sum += slots[i].value;
  return sum > 6 ? slots : unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, fill, 0);
  pthread_create(&two, 0, empty, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
}
