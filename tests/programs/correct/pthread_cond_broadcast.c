// A broadcast wakes every waiter, so that all threads pass the gate.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int is_open, passed;

static void* pass(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  while (!is_open) pthread_cond_wait(&opened, &mutex);
  passed++;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, pass, NULL);
  pthread_mutex_lock(&mutex);
  is_open = 1;
  pthread_mutex_unlock(&mutex);
  pthread_cond_broadcast(&opened);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  assert(passed == 3);
  return 0;
}
