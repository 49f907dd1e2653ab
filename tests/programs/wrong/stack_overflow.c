// A recursion that does not end, in a thread.
// heddle: finds stack-overflow
// heddle-runs: 20
#include <pthread.h>
#include <stddef.h>

static volatile int depth_limit = -1;

static int descend(int depth) {
  volatile char frame[4096];
  frame[0] = (char)depth;
  if (depth == depth_limit) return 0;
  return descend(depth + 1) + frame[0];
}

static void* work(void* unused) {
  descend(0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  return 0;
}
