// Two binary semaphores, taken in opposite orders.
// heddle: finds deadlock
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t left, right;

static void* work(void* first) {
  sem_t* const second = first == &left ? &right : &left;
  sem_wait(first);
  sem_wait(second);
  sem_post(second);
  sem_post(first);
  return NULL;
}

int main(void) {
  sem_init(&left, 0, 1);
  sem_init(&right, 0, 1);
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, work, &left);
  pthread_create(&threads[1], NULL, work, &right);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
