// Each thread has its own value for a key; the key's destructor gets it when the thread ends, again if it is set again.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_key_t key;
static atomic_int destroyed;

static void destroy(void* value) {
  int* number = value;
  assert(pthread_getspecific(key) == NULL);
  atomic_fetch_add(&destroyed, 1);
  if (*number > 1) {
    *number -= 1;
    pthread_setspecific(key, number);
  } else {
    free(number);
  }
}

static void* work(void* unused) {
  (void)unused;
  assert(pthread_getspecific(key) == NULL);
  int* number = malloc(sizeof *number);
  *number = 2;
  assert(pthread_setspecific(key, number) == 0);
  assert(pthread_getspecific(key) == number);
  return NULL;
}

int main(void) {
  assert(pthread_key_create(&key, destroy) == 0);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  assert(destroyed == 4);
  assert(pthread_key_delete(key) == 0);
  return 0;
}
