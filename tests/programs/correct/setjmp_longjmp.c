// longjmp out of nested calls, in two threads at once, with other threads running in between.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int steps;

static void deep(jmp_buf target, int depth) {
  atomic_fetch_add_explicit(&steps, 1, memory_order_relaxed);
  if (depth == 0) longjmp(target, 7);
  deep(target, depth - 1);
}

static void* jumps(void* unused) {
  jmp_buf here;
  volatile int rounds = 0;
  const int result = setjmp(here);
  if (result != 0) assert(result == 7);
  if (rounds < 2) {
    rounds++;
    deep(here, 3);
  }
  assert(rounds == 2);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, jumps, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  assert(steps == 16);
  return 0;
}
