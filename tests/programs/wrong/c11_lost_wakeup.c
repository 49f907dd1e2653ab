// cnd_signal wakes one of two waiters, and nothing wakes the other.
// heddle: finds deadlock
#include <stddef.h>
#include <threads.h>

static mtx_t mutex;
static cnd_t opened;
static int is_open;

static int waits(void* unused) {
  (void)unused;
  mtx_lock(&mutex);
  while (!is_open) cnd_wait(&opened, &mutex);
  mtx_unlock(&mutex);
  return 0;
}

int main(void) {
  mtx_init(&mutex, mtx_plain);
  cnd_init(&opened);
  thrd_t threads[2];
  for (int i = 0; i < 2; i++) thrd_create(&threads[i], waits, NULL);
  mtx_lock(&mutex);
  is_open = 1;
  cnd_signal(&opened);  // should be cnd_broadcast
  mtx_unlock(&mutex);
  for (int i = 0; i < 2; i++) thrd_join(threads[i], NULL);
  return 0;
}
