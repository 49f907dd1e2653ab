// On x86 these calls are full barriers between a store and a later load: both ends of a mutex and of a reader-writer
// lock, a failed try to lock a mutex, a post of a semaphore.
// heddle: clean
// heddle-runs: 3000
// heddle-options: -m tso -s random
// heddle-levels: -O0 -O2
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

enum { ways = 5 };

static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlocks[2] = {PTHREAD_RWLOCK_INITIALIZER, PTHREAD_RWLOCK_INITIALIZER};
static sem_t semaphores[2];
static atomic_int stored[ways][2];
static int seen[ways][2];

static void pass(int way, int self) {
  switch (way) {
    case 0: pthread_mutex_unlock(&mutexes[self]); break;
    case 1: pthread_rwlock_unlock(&rwlocks[self]); break;
    case 2:
      pthread_rwlock_rdlock(&rwlocks[self]);
      pthread_rwlock_unlock(&rwlocks[self]);
      break;
    case 3: assert(pthread_mutex_trylock(&held) != 0); break;
    default: sem_post(&semaphores[self]);
  }
}

static void* work(void* argument) {
  const int self = *(int*)argument;
  for (int way = 0; way < ways; ++way) {
    if (way == 0) pthread_mutex_lock(&mutexes[self]);
    if (way == 1) pthread_rwlock_wrlock(&rwlocks[self]);
    atomic_store_explicit(&stored[way][self], 1, memory_order_relaxed);
    pass(way, self);
    seen[way][self] = atomic_load_explicit(&stored[way][1 - self], memory_order_relaxed);
  }
  return NULL;
}

int main(void) {
  int numbers[2] = {0, 1};
  pthread_t threads[2];
  pthread_mutex_lock(&held);
  for (int i = 0; i < 2; ++i) sem_init(&semaphores[i], 0, 0);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, &numbers[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  pthread_mutex_unlock(&held);
  for (int way = 0; way < ways; ++way) assert(seen[way][0] == 1 || seen[way][1] == 1);
}
