// Values that are not determined, and assumptions about them: of 4 numbers 3 are allowed, and each leads to 2
// executions.
#include <heddle/verifier.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum;

static void* add(void* limit) {
  const int number = __VERIFIER_nondet_int();
  __VERIFIER_assume(number > 0);
  atomic_store(&sum, number);
  if (__VERIFIER_nondet_bool()) atomic_fetch_add(&sum, 1);
  __VERIFIER_assert(atomic_load(&sum) <= *(int*)limit);
  return 0;
}

int main(int argc, char** argv) {
  int limit = argc > 1 ? 3 : 4;
  pthread_t thread;
  pthread_create(&thread, 0, add, &limit);
  pthread_join(thread, 0);
  (void)argv;
}
