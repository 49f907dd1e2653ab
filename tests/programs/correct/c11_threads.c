// thrd_create hands over an argument, thrd_join hands back a result.
// heddle: clean
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>

static int input[2] = {20, 22};
static atomic_int sum;
static thread_local int calls;

static int add(void* argument) {
  calls++;
  atomic_fetch_add_explicit(&sum, *(int*)argument, memory_order_relaxed);
  if (*(int*)argument == 22) thrd_exit(100 + calls);
  thrd_yield();
  return calls;
}

int main(void) {
  thrd_t threads[2];
  for (int i = 0; i < 2; i++) assert(thrd_create(&threads[i], add, &input[i]) == thrd_success);
  int results[2];
  for (int i = 0; i < 2; i++) assert(thrd_join(threads[i], &results[i]) == thrd_success);
  assert(results[0] == 1 && results[1] == 101);
  assert(sum == 42 && calls == 0);
  assert(thrd_equal(thrd_current(), thrd_current()));
  return 0;
}
