// A struct is published and taken with relaxed orders on both sides.
#include <pthread.h>
#include <stdatomic.h>

struct point {
  int x, y;
  double weight;
};
static struct point shared;
static atomic_int turn;

static void* put(void* unused) {
  shared.x = 1;
  shared.y = 2;
  shared.weight = 3;
  atomic_store_explicit(&turn, 1, memory_order_relaxed);  // wrong
  return unused;
}
static void* take(void* unused) {
  while (atomic_load_explicit(&turn, memory_order_relaxed) == 0) {  // wrong
  }
  return shared.x + shared.y + shared.weight == 6 ? unused : &shared;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, put, 0);
  pthread_create(&two, 0, take, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
}
