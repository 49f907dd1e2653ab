// A semaphore that is meant as a mutex starts at two.
// heddle: finds race
// heddle-mentions: total
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t semaphore;
static int total;

static void* work(void* unused) {
  sem_wait(&semaphore);
  total++;
  sem_post(&semaphore);
  return unused;
}

int main(void) {
  sem_init(&semaphore, 0, 2);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  sem_destroy(&semaphore);
  printf("%d\n", total);
  return 0;
}
