// A neighbour's slot is read before the barrier instead of after it.
// heddle: finds race
// heddle-mentions: slots
#include <pthread.h>
#include <stdio.h>

static pthread_barrier_t barrier;
static int slots[2], seen[2];

static void* work(void* slot) {
  int* mine = slot;
  const int me = (int)(mine - slots);
  *mine = 1;
  seen[me] = slots[1 - me];
  pthread_barrier_wait(&barrier);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  pthread_barrier_init(&barrier, NULL, 2);
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, &slots[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&barrier);
  printf("%d\n", seen[0] + seen[1]);
  return 0;
}
