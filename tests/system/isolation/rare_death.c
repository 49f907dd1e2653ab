// Few executions kill themselves, and few strategies show one: the left thread always sees y, the right one never x.
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_int x, y, turn;

static void* left(void* unused) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  for (int i = 0; i < 4; ++i)
    atomic_fetch_add_explicit(&turn, atomic_load_explicit(&y, memory_order_relaxed), memory_order_relaxed);
  return unused;
}

static void* right(void* unused) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  for (int i = 0; i < 4; ++i)
    atomic_fetch_sub_explicit(&turn, atomic_load_explicit(&x, memory_order_relaxed), memory_order_relaxed);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, left, NULL);
  pthread_create(&threads[1], NULL, right, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  if (atomic_load(&turn) == 4) kill(getpid(), SIGKILL);
  return 0;
}
