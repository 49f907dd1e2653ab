// Two boxes are filled by one function, whose store does not release.
#include <pthread.h>
#include <stdatomic.h>

struct box {
  int content[2];
  atomic_int is_full;
};
static struct box boxes[2];

static void put(struct box* box, int value) {
  box->content[0] = box->content[1] = value;
  atomic_store_explicit(&box->is_full, 1, memory_order_relaxed);  // wrong
}
static void* fill(void* unused) {
  put(&boxes[0], 1);
  put(&boxes[1], 2);
  return unused;
}
static void* take(void* unused) {
  int sum = 0;
  for (int i = 1; i >= 0; --i)
    if (atomic_load_explicit(&boxes[i].is_full, memory_order_acquire)) sum += boxes[i].content[1];
  return sum > 3 ? boxes : unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, fill, 0);
  pthread_create(&two, 0, take, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
}
