// A normal mutex, statically and dynamically made, excludes and orders.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t fixed = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t made;
static int a, b;

static void* work(void* unused) {
  (void)unused;
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&fixed);
    a++;
    pthread_mutex_lock(&made);
    b += a;
    pthread_mutex_unlock(&made);
    pthread_mutex_unlock(&fixed);
  }
  return NULL;
}

int main(void) {
  assert(pthread_mutex_init(&made, NULL) == 0);
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  assert(a == 6 && b == 1 + 2 + 3 + 4 + 5 + 6);
  assert(pthread_mutex_destroy(&made) == 0);
  return 0;
}
