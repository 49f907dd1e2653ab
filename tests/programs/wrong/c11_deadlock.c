// A C11 thread returns with a mutex held that main then waits for.
// heddle: finds deadlock
// heddle-also: misuse
#include <stddef.h>
#include <threads.h>

static mtx_t mutex;

static int keeps_it(void* unused) {
  (void)unused;
  mtx_lock(&mutex);
  return 0;
}

int main(void) {
  mtx_init(&mutex, mtx_plain);
  thrd_t thread;
  thrd_create(&thread, keeps_it, NULL);
  thrd_join(thread, NULL);
  mtx_lock(&mutex);
  mtx_unlock(&mutex);
  return 0;
}
