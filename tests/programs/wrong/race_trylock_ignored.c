// The result of trylock is looked at only when it comes to unlocking.
// heddle: finds race
// heddle-mentions: guarded
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int guarded;

static void* work(void* unused) {
  const int result = pthread_mutex_trylock(&mutex);
  guarded++;
  if (result == 0) pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("%d\n", guarded);
  return 0;
}
