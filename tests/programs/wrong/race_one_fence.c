// Message passing with the writer's fence, but without the reader's.
// heddle: finds race
// heddle-mentions: payload
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static int payload;
static atomic_int ready;

static void* announces(void* unused) {
  payload = 1;
  atomic_thread_fence(memory_order_release);
  atomic_store_explicit(&ready, 1, memory_order_relaxed);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, announces, NULL);
  int seen = 0;
  if (atomic_load_explicit(&ready, memory_order_relaxed)) seen = payload;
  pthread_join(thread, NULL);
  printf("%d\n", seen);
  return 0;
}
