// Initialisation guarded by a plain flag instead of pthread_once.
// heddle: finds race
// heddle-mentions: initialised
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

static bool initialised;
static int table[4];

static void* use(void* unused) {
  if (!initialised) {
    for (int i = 0; i < 4; i++) table[i] = i;
    initialised = true;
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, use, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("%d\n", table[1]);
  return 0;
}
