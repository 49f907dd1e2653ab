// _Exit and quick_exit end the program at once, from any thread.
// heddle: clean
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_int first;

static void handler(void) { fputs("quick\n", stderr); }

static void* leaves(void* unused) {
  if (atomic_exchange(&first, 1) == 0) _Exit(0);
  return unused;
}

int main(void) {
  at_quick_exit(handler);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, leaves, NULL);
  if (atomic_exchange(&first, 1) == 0) quick_exit(0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
