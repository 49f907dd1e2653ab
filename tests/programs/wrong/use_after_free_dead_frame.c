// A function of main passes the address of a local variable to a thread, and returns too early.
// heddle: finds use-after-free
// heddle-also: race
// heddle-levels: -O0 -O2
// heddle-mentions: a function that has returned
#include <pthread.h>

static pthread_t thread;

static void* adds(void* number) {
  *(int*)number += 1;
  return NULL;
}

__attribute__((noinline)) static void returns_too_early(int number) { pthread_create(&thread, NULL, adds, &number); }

__attribute__((noinline)) static void calls_deeply(void) {
  char room[4096];  // main waits higher up on the stack
  __asm__ volatile("" : : "r"(room) : "memory");
  returns_too_early(1);
  __asm__ volatile("" : : "r"(room) : "memory");
}

int main(void) {
  calls_deeply();
  pthread_join(thread, NULL);
  return 0;
}
