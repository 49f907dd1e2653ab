// One of three users of a pthread spinlock forgets it.
// heddle: finds race
// heddle-mentions: shared_word
#include <pthread.h>
#include <stdio.h>

static pthread_spinlock_t lock;
static int shared_word;

static void* careful(void* unused) {
  pthread_spin_lock(&lock);
  shared_word++;
  pthread_spin_unlock(&lock);
  return unused;
}

static void* careless(void* unused) {
  shared_word++;
  return unused;
}

int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, careful, NULL);
  pthread_create(&threads[1], NULL, careful, NULL);
  pthread_create(&threads[2], NULL, careless, NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  printf("%d\n", shared_word);
  return 0;
}
