// A thread polls a plain variable, and a compiler barrier makes the compiler read it each time.
#include <pthread.h>
#include <stddef.h>

static void* next;
#ifdef COUNTS
static unsigned long rounds;
#endif

static void* load(void* const* from) {
  __asm__ volatile("" ::: "memory");
  return *from;
}
static void* produce(void* product) {
  next = product;
  return product;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, produce, &thread);
  while (load(&next) == NULL) {
#ifdef COUNTS
    ++rounds;
#endif
  }
  pthread_join(thread, 0);
  return 0;
}
