// pthread_once runs its function once, and everybody who returns from it sees what the function did.
// heddle: clean
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int calls, table[2];

static void fill(void) {
  calls++;
  table[0] = 10;
  table[1] = 20;
}

static void* use(void* unused) {
  (void)unused;
  pthread_once(&once, fill);
  assert(table[0] + table[1] == 30);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, use, NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  assert(calls == 1);
  return 0;
}
