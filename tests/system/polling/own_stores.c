// Each round of a try-lock that fails stores the same values to the thread's own node again: a loop that waits.
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifndef THREADS
#define THREADS 3
#endif

struct node {
  _Atomic(struct node*) next;
  atomic_int waits;
};
static _Atomic(struct node*) holder;
static struct node nodes[THREADS];
static int entered;

static void* enter(void* argument) {
  struct node *own = argument, *none;
  do {
    none = NULL;
    atomic_store_explicit(&own->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&own->waits, 1, memory_order_relaxed);
  } while (!atomic_compare_exchange_strong_explicit(&holder, &none, own, memory_order_acquire, memory_order_relaxed));
  entered++;
  atomic_store_explicit(&holder, NULL, memory_order_release);
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, enter, &nodes[i]);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  return entered != THREADS;
}
