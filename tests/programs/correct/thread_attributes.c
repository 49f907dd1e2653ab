// What a thread is told about itself: its stack is the one that it runs on.
// heddle: clean
// heddle-levels: -O0 -O2
// heddle-runs: 200
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static void check_own_stack(int wanted_state) {
  pthread_attr_t attributes;
  void* begin = NULL;
  size_t size = 0;
  int state = -1;
  assert(pthread_getattr_np(pthread_self(), &attributes) == 0);
  assert(pthread_attr_getstack(&attributes, &begin, &size) == 0);
  assert(pthread_attr_getdetachstate(&attributes, &state) == 0 && state == wanted_state);
  const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  assert(here >= (uintptr_t)begin && here < (uintptr_t)begin + size);
  pthread_attr_destroy(&attributes);
}

static void* checks(void* unused) {
  check_own_stack(PTHREAD_CREATE_JOINABLE);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, checks, NULL);
  check_own_stack(PTHREAD_CREATE_JOINABLE);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
