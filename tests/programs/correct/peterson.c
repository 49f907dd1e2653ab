// Peterson's mutual exclusion, sequentially consistent.
// heddle: clean
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <threads.h>

static atomic_bool interested[2];
atomic_int victim;  // if it were static, clang 14 would make it a local variable of the one function that uses it
static int counter;

static int work(void* argument) {
  const int me = *(int*)argument;
  for (int round = 0; round < 2; round++) {
    atomic_store(&interested[me], true);
    atomic_store(&victim, me);
    while (atomic_load(&interested[1 - me]) && atomic_load(&victim) == me) {
    }
    counter++;
    atomic_store(&interested[me], false);
  }
  return 0;
}

int main(void) {
  static int names[2] = {0, 1};
  thrd_t threads[2];
  for (int i = 0; i < 2; i++) thrd_create(&threads[i], work, &names[i]);
  for (int i = 0; i < 2; i++) thrd_join(threads[i], NULL);
  assert(counter == 4);
  return 0;
}
