// A pointer is checked, and read again after the check.
// heddle: finds crash
// heddle-mentions: use
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int value = 1;
static _Atomic(int*) pointer = &value;

static void* withdraw(void* unused) {
  atomic_store(&pointer, NULL);
  return unused;
}

static void* use(void* unused) {
  if (atomic_load(&pointer) != NULL) *atomic_load(&pointer) = 2;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, use, NULL);
  pthread_create(&threads[1], NULL, withdraw, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
