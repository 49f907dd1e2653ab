// pthread_exit ends a thread from within nested calls; from main it lets the other threads finish.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_t first;
static int value;

static void inner(void) { pthread_exit(&value); }
static void outer(void) { inner(); }

static void* leaves_early(void* unused) {
  (void)unused;
  value = 5;
  outer();
  return NULL;
}

static void* waits(void* unused) {
  (void)unused;
  void* result = NULL;
  assert(pthread_join(first, &result) == 0);
  assert(result == &value && value == 5);
  return NULL;
}

int main(void) {
  pthread_t second;
  pthread_create(&first, NULL, leaves_early, NULL);
  pthread_create(&second, NULL, waits, NULL);
  pthread_detach(second);
  pthread_exit(NULL);
}
