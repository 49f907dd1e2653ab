// POSIX semaphores count, order, and say EAGAIN when there is nothing to take.
// heddle: clean
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>

static sem_t items, limited;
static int data[3];
static int taken;

static void* producer(void* unused) {
  (void)unused;
  for (int i = 0; i < 3; i++) {
    data[i] = i + 1;
    sem_post(&items);
  }
  return NULL;
}

int main(void) {
  sem_init(&items, 0, 0);
  sem_init(&limited, 0, 1);
  assert(sem_trywait(&limited) == 0);
  assert(sem_trywait(&limited) == -1 && errno == EAGAIN);
  struct timespec past = {0, 0};
  assert(sem_timedwait(&limited, &past) == -1 && errno == ETIMEDOUT);
  pthread_t thread;
  pthread_create(&thread, NULL, producer, NULL);
  for (int i = 0; i < 3; i++) {
    while (sem_wait(&items) != 0) assert(errno == EINTR);
    assert(data[i] == i + 1);
    taken++;
  }
  pthread_join(thread, NULL);
  int left = -1;
  sem_getvalue(&items, &left);
  assert(left == 0 && taken == 3);
  sem_destroy(&items);
  sem_destroy(&limited);
  return 0;
}
