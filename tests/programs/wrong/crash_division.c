// A division by a number that another thread may have set to zero.
// heddle: finds crash
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int divisor = 1;
static volatile int result;

static void* clears(void* unused) {
  atomic_store(&divisor, 0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, clears, NULL);
  result = 100 / atomic_load(&divisor);
  pthread_join(thread, NULL);
  return 0;
}
