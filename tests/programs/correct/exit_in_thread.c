// A thread calls exit while others wait and run: the handlers run, and the program ends there and well.
// heddle: clean
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static atomic_int counter;

static void goodbye(void) { puts("goodbye"); }

static void* leaves(void* unused) {
  (void)unused;
  exit(0);
}

static void* counts(void* unused) {
  for (;;) {
    if (atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed) == 20) {
      pthread_mutex_lock(&mutex);
      for (;;) pthread_cond_wait(&never, &mutex);
    }
  }
  return unused;
}

int main(void) {
  atexit(goodbye);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, counts, NULL);
  pthread_create(&threads[1], NULL, leaves, NULL);
  pthread_join(threads[0], NULL);
  return 0;
}
