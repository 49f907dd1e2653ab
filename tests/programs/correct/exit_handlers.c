// Handlers of atexit and on_exit run once each, the newest first, in every execution.
// If one calls exit again, the rest runs with the new status.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int runs;

static void before_main(void) { assert(++runs == 4); }
__attribute__((constructor)) static void register_before_main(void) { atexit(before_main); }

static void third(int status, void* argument) {
  assert(status == 0);
  assert(argument == &runs && ++runs == 3);
}
static void second(void) {
  assert(++runs == 2);
  exit(0);
}
static void first(int status, void* argument) {
  assert(status == 5);
  assert(argument == NULL && ++runs == 1);
}

static void* leaves(void* unused) {
  (void)unused;
  exit(5);
}

int main(void) {
  on_exit(third, &runs);
  atexit(second);
  on_exit(first, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, leaves, NULL);
  pthread_join(thread, NULL);
  return 1;
}
