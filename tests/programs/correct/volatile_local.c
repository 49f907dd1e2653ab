// volatile within one thread concerns no other thread, and all threads may read constant data.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static const volatile int constants[3] = {1, 2, 3};
static volatile int before_and_after;

static void* work(void* unused) {
  volatile int sum = 0;
  for (int i = 0; i < 3; i++) sum += constants[i];
  assert(sum == 6);
  assert(before_and_after == 1);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  before_and_after = 1;
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  before_and_after = 2;
  return 0;
}
