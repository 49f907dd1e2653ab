// main reads a local variable of a thread that has ended.
// heddle: finds use-after-free
// heddle-levels: -O0 -O2
// heddle-mentions: access to the stack of T0.1, which has ended
#include <pthread.h>

static int* shared;
static volatile int sink;

static void* ends(void* unused) {
  int local = 42;
  shared = &local;
  __asm__ volatile("" : : "r"(shared) : "memory");
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, ends, NULL);
  pthread_join(thread, NULL);
  sink = *shared;
  return 0;
}
