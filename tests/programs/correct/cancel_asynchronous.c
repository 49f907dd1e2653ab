// With the asynchronous type, a thread ends wherever it is; deferred, it continues to the next cancellation point.
// heddle: clean
// heddle-levels: -O0 -O2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int begun, rounds;
static int cleaned;

static void clean(void* unused) {
  (void)unused;
  cleaned = 1;
}

static void* spins(void* unused) {
  (void)unused;
  int old;
  pthread_cleanup_push(clean, NULL);
  assert(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) == 0);
  assert(old == PTHREAD_CANCEL_DEFERRED);
  atomic_store(&begun, 1);
  for (;;) atomic_fetch_add(&rounds, 1);
  pthread_cleanup_pop(0);
  return NULL;
}

static void* counts(void* unused) {
  (void)unused;
  for (int i = 0; i < 10; ++i) atomic_fetch_add(&rounds, 1);
  return &rounds;
}

int main(void) {
  pthread_t thread;
  void* result;
  pthread_create(&thread, NULL, spins, NULL);
  while (!atomic_load(&begun)) {
  }
  pthread_cancel(thread);
  pthread_join(thread, &result);
  assert(result == PTHREAD_CANCELED && cleaned == 1);

  atomic_store(&rounds, 0);
  pthread_create(&thread, NULL, counts, NULL);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  assert(result == &rounds && atomic_load(&rounds) == 10);
  return 0;
}
