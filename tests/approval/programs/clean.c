// Message passing with release and acquire.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int message;
static atomic_int ready;

static void* send(void* unused) {
  message = 42;
  atomic_store_explicit(&ready, 1, memory_order_release);
  return unused;
}

static void* receive(void* unused) {
  if (atomic_load_explicit(&ready, memory_order_acquire) == 1) assert(message == 42);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, send, NULL);
  pthread_create(&b, NULL, receive, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
