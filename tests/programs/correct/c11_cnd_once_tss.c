// cnd_t with its predicate, call_once, and tss_t with a destructor.
// heddle: clean
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
static mtx_t mutex;
static cnd_t arrived;
static tss_t storage;
static int arrivals;
static atomic_int destroyed;

static void destroy(void* value) {
  free(value);
  atomic_fetch_add(&destroyed, 1);
}

static void make(void) {
  mtx_init(&mutex, mtx_plain);
  cnd_init(&arrived);
  tss_create(&storage, destroy);
}

static int arrive(void* unused) {
  (void)unused;
  call_once(&once, make);
  tss_set(storage, malloc(8));
  assert(tss_get(storage) != NULL);
  mtx_lock(&mutex);
  arrivals++;
  cnd_broadcast(&arrived);
  while (arrivals < 2) cnd_wait(&arrived, &mutex);
  mtx_unlock(&mutex);
  return 0;
}

int main(void) {
  thrd_t threads[2];
  for (int i = 0; i < 2; i++) thrd_create(&threads[i], arrive, NULL);
  for (int i = 0; i < 2; i++) thrd_join(threads[i], NULL);
  assert(destroyed == 2);
  cnd_destroy(&arrived);
  mtx_destroy(&mutex);
  return 0;
}
