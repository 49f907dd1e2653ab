// A thread may leave a barrier late, when other threads have completed the next round: it must learn of its own round.
// The reader leaves round one together with the writer, however long it takes; round two belongs to the latecomers.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_barrier_t barrier;
static atomic_int round_one_is_over;
static int data;

static void* write_data(void* unused) {
  (void)unused;
  data = 1;
  pthread_barrier_wait(&barrier);
  atomic_store_explicit(&round_one_is_over, 1, memory_order_relaxed);
  return NULL;
}

static void* read_data(void* unused) {
  (void)unused;
  pthread_barrier_wait(&barrier);
  assert(data == 1);
  return NULL;
}

static void* come_late(void* unused) {
  (void)unused;
  while (atomic_load_explicit(&round_one_is_over, memory_order_relaxed) == 0) {
  }
  pthread_barrier_wait(&barrier);
  return NULL;
}

int main(void) {
  void* (*const routines[])(void*) = {write_data, read_data, come_late, come_late};
  enum { count = sizeof routines / sizeof routines[0] };
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t threads[count];
  for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, routines[i], NULL);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
  return 0;
}
