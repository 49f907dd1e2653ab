// A mutex and a semaphore are used after they were destroyed, in the order of one thread.
// heddle: finds misuse
// heddle-levels: -O0 -O2
// heddle-mentions: a mutex is used after it was destroyed
// heddle-mentions: a semaphore is used after it was destroyed
// heddle-mentions: a condition variable is destroyed for a second time
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t guard;
static sem_t semaphore;
static pthread_cond_t condition;

int main(void) {
  pthread_mutex_init(&guard, NULL);
  pthread_mutex_destroy(&guard);
  pthread_mutex_lock(&guard);
  pthread_mutex_unlock(&guard);
  sem_init(&semaphore, 0, 1);
  sem_destroy(&semaphore);
  sem_post(&semaphore);
  pthread_cond_init(&condition, NULL);
  pthread_cond_destroy(&condition);
  pthread_cond_destroy(&condition);
  return 0;
}
