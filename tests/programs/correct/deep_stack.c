// Half a megabyte of stack in a thread, and what was passed by address from one thread's stack to another.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static int descend(int depth) {
  volatile char frame[1024];
  memset((char*)frame, depth, sizeof frame);
  const int below = depth == 0 ? 0 : descend(depth - 1);
  return below + (frame[17] == (char)depth);
}

static void* work(void* result) {
  *(int*)result = descend(400);
  return NULL;
}

int main(void) {
  int result = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, work, &result);
  pthread_join(thread, NULL);
  assert(result == 401);
  return 0;
}
