// A thread stores to an atomic local variable of a function that has returned.
// heddle: finds use-after-free
// heddle-also: race
// heddle-levels: -O0 -O2
// heddle-mentions: a function that has returned
#include <pthread.h>
#include <stdatomic.h>

static pthread_t thread;

static void* sets(void* flag) {
  atomic_store((atomic_int*)flag, 1);
  return NULL;
}

__attribute__((noinline)) static void returns_too_early(void) {
  atomic_int flags[8] = {0};
  pthread_create(&thread, NULL, sets, &flags[3]);
  __asm__ volatile("" : : "r"(flags) : "memory");
}

int main(void) {
  returns_too_early();
  pthread_join(thread, NULL);
  return 0;
}
