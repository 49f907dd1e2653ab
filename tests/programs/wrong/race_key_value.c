// Two threads set their key to the same object, which is then no longer each thread's own.
// heddle: finds race
// heddle-mentions: not_private
#include <pthread.h>
#include <stdio.h>

static pthread_key_t key;
static int not_private;

static void* work(void* unused) {
  pthread_setspecific(key, &not_private);
  int* mine = pthread_getspecific(key);
  *mine += 1;
  return unused;
}

int main(void) {
  pthread_key_create(&key, NULL);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("%d\n", not_private);
  return 0;
}
