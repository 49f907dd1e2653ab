// mtx_t in its plain, recursive and timed kinds.
// heddle: clean
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t plain, recursive, timed;
static int counter;

static int work(void* unused) {
  (void)unused;
  mtx_lock(&plain);
  assert(mtx_trylock(&plain) == thrd_busy);
  counter++;
  mtx_unlock(&plain);

  mtx_lock(&recursive);
  mtx_lock(&recursive);
  mtx_unlock(&recursive);
  mtx_unlock(&recursive);

  struct timespec limit;
  timespec_get(&limit, TIME_UTC);
  limit.tv_sec += 1;
  const int result = mtx_timedlock(&timed, &limit);
  assert(result == thrd_success || result == thrd_timedout);
  if (result == thrd_success) mtx_unlock(&timed);
  return 0;
}

int main(void) {
  assert(mtx_init(&plain, mtx_plain) == thrd_success);
  assert(mtx_init(&recursive, mtx_plain | mtx_recursive) == thrd_success);
  assert(mtx_init(&timed, mtx_timed) == thrd_success);
  thrd_t threads[2];
  for (int i = 0; i < 2; i++) thrd_create(&threads[i], work, NULL);
  for (int i = 0; i < 2; i++) thrd_join(threads[i], NULL);
  assert(counter == 2);
  mtx_destroy(&plain);
  mtx_destroy(&recursive);
  mtx_destroy(&timed);
  return 0;
}
