// A C11 thread and its creator write one variable; the mutex is taken on one side only.
// heddle: finds race
// heddle-mentions: shared_value
#include <stdio.h>
#include <threads.h>

static mtx_t mutex;
static int shared_value;

static int work(void* unused) {
  (void)unused;
  mtx_lock(&mutex);
  shared_value = 1;
  mtx_unlock(&mutex);
  return 0;
}

int main(void) {
  mtx_init(&mutex, mtx_plain);
  thrd_t thread;
  thrd_create(&thread, work, NULL);
  shared_value = 2;
  thrd_join(thread, NULL);
  mtx_destroy(&mutex);
  printf("%d\n", shared_value);
  return 0;
}
