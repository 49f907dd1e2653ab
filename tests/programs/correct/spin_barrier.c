// A barrier of two threads that spin. In unoptimised code the loop has slots on the stack that it has not written yet.
// heddle: clean
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_uint arrived, round_number;

static void* wait_for_other(void* unused) {
  (void)unused;
  const unsigned round = atomic_load(&round_number);
  if (atomic_fetch_add(&arrived, 1) == 1) {
    atomic_store(&arrived, 0);
    atomic_fetch_add(&round_number, 1);
  } else {
    while (atomic_load(&round_number) == round) {
    }
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, wait_for_other, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
