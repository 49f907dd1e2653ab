// errno is each thread's own.
// heddle: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>

static void* work(void* value) {
  errno = *(int*)value;
  for (int i = 0; i < 3; i++) {
    sched_yield();
    assert(errno == *(int*)value);
  }
  return NULL;
}

int main(void) {
  static int values[2] = {EAGAIN, ENOENT};
  pthread_t threads[2];
  errno = 0;
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, &values[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  assert(errno == 0);
  return 0;
}
