// The pointer to an object that is made once is read without acquire.
#include <pthread.h>
#include <stdatomic.h>

struct table {
  int cells[3];
};
static struct table storage;
static _Atomic(struct table*) instance;

static void* make(void* unused) {
  for (int i = 0; i < 3; ++i) storage.cells[i] = i + 1;
  atomic_store_explicit(&instance, &storage, memory_order_release);
  return unused;
}
static void* use(void* unused) {
  struct table* table = atomic_load_explicit(&instance, memory_order_relaxed);  // wrong
  return table && table->cells[2] != 3 ? &storage : unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, make, 0);
  pthread_create(&two, 0, use, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
}
