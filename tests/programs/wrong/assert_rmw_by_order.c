// A relaxed increment between two stores orders them on x86, but not under pso: it waits for the buffer of its own
// location only. With --rmw=full it is a full barrier.
// heddle: finds assert
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int data, counter, flag;

static void* write_both(void* unused) {
  atomic_store_explicit(&data, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return unused;
}

static void* read_both(void* unused) {
  if (atomic_load_explicit(&flag, memory_order_relaxed) == 1)
    assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);
  return unused;
}

int main(void) {
  pthread_t writer, reader;
  pthread_create(&writer, NULL, write_both, NULL);
  pthread_create(&reader, NULL, read_both, NULL);
  pthread_join(writer, NULL);
  pthread_join(reader, NULL);
  return 0;
}
